#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""People sign up while the mail server fails and kbase is killed: tests that each mail arrives once, or is reported.

Usage: mails.py --kbase PROGRAM [--people 1000] [--seed N]
Needs aiosmtpd (Debian's python3-aiosmtpd) and faketime. People ask for links one after the other. Meanwhile the mail
server is slow, defers mails (451), refuses some addresses for good (550), closes the connection in place of its answer,
and is away for ten minutes of kbase's clock; and kbase is killed (SIGKILL) several times. Each address with a 202 must get
exactly one mail, or the log must have `mail.failed`. A mail that the mail server got twice must have the same Message-ID
each time, because its first answer was lost (RFC 1047).
"""
import argparse
import asyncio
import collections
import email
import http.client
import json
import os
import random
import signal
import sys
import threading
import time

from processes import SKIPPED, Workspace, free_port, record_result, run_to_end, waiting

try:
    from aiosmtpd.controller import Controller
except ImportError:
    print("skipped: there is no aiosmtpd; install python3-aiosmtpd")
    sys.exit(SKIPPED)

FAKETIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1"
PHASES = ("normal", "slow", "deferring", "closing", "away")
SLOW_SECONDS = 0.5
POLL_SECONDS = 0.5  # the server looks for mails that are due this often
STEP = 60  # seconds by which the clock advances
END = 4 * 3600  # seconds: the last attempt is after 2 h 36 min


class MailServer:
    """`phase` is one of PHASES. Addresses of refused.example are always refused."""

    def __init__(self, port):
        self.port, self.phase = port, "normal"
        self.accepted = collections.defaultdict(list)  # address: Message-IDs
        self.unanswered = set()  # Message-IDs whose answer was lost
        self.controller = None
        self.set_phase("normal")

    def set_phase(self, phase):
        self.phase = phase
        if phase == "away" and self.controller:
            self.controller.stop()
            self.controller = None
        elif phase != "away" and not self.controller:
            self.controller = Controller(self, hostname="127.0.0.1", port=self.port)
            self.controller.start()

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.endswith("@refused.example"):
            return "550 5.1.1 no such mailbox"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        phase = self.phase
        if phase == "slow":
            await asyncio.sleep(SLOW_SECONDS)
        if phase == "deferring":
            return "451 4.3.0 try again later"
        message = email.message_from_bytes(envelope.content)
        for address in envelope.rcpt_tos:
            self.accepted[address].append(message["Message-ID"])
        if phase == "closing":
            self.unanswered.add(message["Message-ID"])
            server.transport.abort()
        return "250 OK"


class Mails(Workspace):
    def __init__(self, options):
        super().__init__("mails")
        self.options, self.random = options, random.Random(options.seed)
        self.port, self.server, self.kills = free_port(), None, 0
        self.mails = MailServer(free_port())
        self.clock = time.time()
        self.advance(0)
        self.asked = []  # addresses with a 202

    def advance(self, seconds):
        self.clock += seconds
        with open(self.path("time-next"), "w", encoding="ascii") as file:
            file.write(f"{self.clock:.3f}\n")
        os.rename(self.path("time-next"), self.path("time"))

    def start_server(self):
        settings = (f"data_dir={self.path('data')}", f"server.port={self.port}", "server.trusted_proxies=[127.0.0.1]",
                    "plans.public.per_minute=0", "plans.public.per_day=0", "logging.level=warning", "signup.mode=open",
                    "mail.plugin=smtp", f"mail.config.url=smtp://127.0.0.1:{self.mails.port}", "mail.config.tls=none",
                    "mail.config.from=docs@example.org", "signup.public_url=http://docs.example.org")
        clock = {"LD_PRELOAD": f"{FAKETIME} libc.so.6", "FAKETIME_TIMESTAMP_FILE": self.path("time"), "FAKETIME_FMT": "%s",
                 "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1", "NO_FAKE_STAT": "1", "TZ": "UTC"}
        arguments = [word for setting in settings for word in ("--set", setting)]
        command = ["env", *(f"{name}={value}" for name, value in clock.items()), self.options.kbase]
        self.server = self.start([*command, "serve", *arguments], stdout=-1, text=True)
        if not self.server.stdout.readline().startswith("listening on "):
            sys.exit("the server did not start: " + self.log()[-2000:])

    def kill_server(self):
        self.server.send_signal(signal.SIGKILL)
        self.server.wait()
        self.started.clear()
        self.kills += 1
        self.start_server()

    def ask(self, number):
        """Returns whether the server answered that a mail is on its way."""
        domain = "refused.example" if number % 20 == 7 else "example.org"
        address = f"person{number}@{domain}"
        client = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
            connection.request("POST", "/api/v1/accounts", json.dumps({"email": address}),
                               {"Content-Type": "application/json", "X-Forwarded-For": client})
            status = connection.getresponse().status
            connection.close()
        except OSError:
            return False  # killed
        if status != 202:
            self.fail(f"{address}: status {status}")
        self.asked.append(address)
        return True

    def failed(self):
        """Ids of the mails that the log reports as given up."""
        lines = [json.loads(line) for line in self.log().splitlines() if '"mail.failed"' in line]
        return {line["mail"] for line in lines}

    def is_done(self):
        open_ones = len(set(self.asked)) - len(set(self.asked) & set(self.mails.accepted))
        return open_ones <= len(self.failed())

    def run(self):
        if not os.path.exists(FAKETIME):
            print("skipped: there is no faketime; install faketime")
            sys.exit(SKIPPED)
        self.start_server()
        phases = [phase for _ in range(2) for phase in PHASES]
        each = self.options.people // len(phases)
        for number in range(self.options.people):
            if number % each == 0 and number // each < len(phases):
                self.mails.set_phase(phases[number // each])
            if self.mails.phase == "away" and number % (each // 10) == 0:
                self.advance(STEP)
            if number % (each // 2) == each // 4:
                killer = threading.Timer(self.random.uniform(0, 0.2), self.server.send_signal, (signal.SIGKILL,))
                killer.start()
                while self.server.poll() is None:
                    self.ask(number)  # the same person asks again and again
                killer.join()
                self.kill_server()
            while not self.ask(number):
                pass
        self.mails.set_phase("normal")
        began = self.clock
        while not waiting.is_true_within(self.is_done, POLL_SECONDS) and self.clock - began < END:
            self.advance(STEP)
        self.check()

    def check(self):
        lost = 0
        failed, ids = self.failed(), collections.Counter()
        addresses = set(self.asked)
        for address in sorted(addresses):
            seen = self.mails.accepted.get(address, [])
            ids[len(set(seen))] += 1
        unsent = [address for address in addresses if not self.mails.accepted.get(address)]
        if len(unsent) > len(failed):
            lost = len(unsent) - len(failed)
            self.fail(f"{lost} mails are neither sent nor reported, such as that to {unsent[0]}")
        for address in unsent:
            if not address.endswith("@refused.example"):
                self.fail(f"the mail to {address} is given up, although it was only deferred")
        repeated = [message for seen in self.mails.accepted.values()
                    for message, times in collections.Counter(seen).items() if times > 1]
        print(f"{len(addresses)} addresses, {sum(map(len, self.mails.accepted.values()))} mails accepted, "
              f"{len(failed)} reported as failed, {self.kills} kills, {len(repeated)} mails accepted more than once; "
              f"mails of one address: {dict(ids)}")
        # Without a kill, a mail is repeated only if its answer was lost.
        surplus = [message for message in repeated if message not in self.mails.unanswered]
        if len(surplus) > 4 * self.kills:  # one for each thread that sends
            self.fail(f"{len(surplus)} mails were accepted twice, and their answers were not lost")
        record_result(f"mail server slow, deferring, closing and away, kbase killed {self.kills} times",
                      f"{lost} of {len(addresses)} mails", self.failures)
        self.mails.set_phase("away")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kbase", required=True)
    parser.add_argument("--people", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    run_to_end(Mails(parser.parse_args()))


if __name__ == "__main__":
    main()
