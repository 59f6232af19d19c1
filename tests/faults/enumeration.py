#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks for links for addresses with and without an account: tests that neither answers nor times differ. Guesses tokens.

Usage: enumeration.py --kbase PROGRAM [--addresses 1000] [--guesses 10000] [--seed N]
Asks in a random order, one after the other, for --addresses addresses of each kind, twice each. The Mann-Whitney U test
compares the times. Equal distributions give p <= .05 in one of twenty runs, so a failed comparison is repeated, and three
in a row are a failure. Then sends --guesses tokens that are well-formed, and none may be valid.
"""
import argparse
import http.client
import json
import math
import pathlib
import quopri
import random
import re
import secrets
import time

from processes import Workspace, free_port, record_result, run_to_end, wait_for

LEAST_P = 0.05
RUNS = 3
OWN_PAGE = {"Content-Type": "application/json", "Sec-Fetch-Site": "same-origin"}


def mann_whitney(first, second):
    """Returns the two-sided p of the U test, by the normal approximation with correction for ties."""
    every = sorted([(value, 0) for value in first] + [(value, 1) for value in second])
    ranks, ties, begin = 0.0, 0.0, 0
    while begin < len(every):
        end = begin
        while end < len(every) and every[end][0] == every[begin][0]:
            end += 1
        rank, size = (begin + 1 + end) / 2, end - begin
        ranks += rank * sum(1 for _, kind in every[begin:end] if kind == 0)
        ties += size ** 3 - size
        begin = end
    n, m = len(first), len(second)
    u = ranks - n * (n + 1) / 2
    spread = math.sqrt(n * m / 12 * (n + m + 1 - ties / ((n + m) * (n + m - 1))))
    return math.erfc(abs(u - n * m / 2) / spread / math.sqrt(2))


class Enumeration(Workspace):
    def __init__(self, options):
        super().__init__("enumeration")
        self.options, self.random = options, random.Random(options.seed)
        self.port, self.clients = free_port(), 0
        self.connection = None

    def send(self, path, body, headers):
        """Returns status, body and seconds of a request from another client each time."""
        self.clients += 1
        client = f"10.{self.clients >> 16 & 255}.{self.clients >> 8 & 255}.{self.clients & 255}"
        began = time.perf_counter()
        self.connection.request("POST", "/api/v1" + path, json.dumps(body), {**headers, "X-Forwarded-For": client})
        response = self.connection.getresponse()
        text = response.read()
        return response.status, text, time.perf_counter() - began

    def create_accounts(self, addresses):
        for address in addresses:
            self.send("/accounts", {"email": address}, OWN_PAGE)
        outbox = pathlib.Path(self.path("data"), "outbox")
        wait_for("the mails", lambda: outbox.exists() and len(list(outbox.glob("*.eml"))) == len(addresses), 120)
        for mail in outbox.glob("*.eml"):
            token = re.search(rb"/account/confirm#(\w+)", quopri.decodestring(mail.read_bytes())).group(1).decode()
            if self.send("/sessions/confirm", {"token": token}, OWN_PAGE)[0] != 200:
                self.fail("a link does not work")

    def compare(self, path, known, unknown):
        """Returns the p of the comparison, and the medians in microseconds."""
        requests = [(address, kind) for kind, addresses in enumerate((known, unknown)) for address in addresses] * 2
        self.random.shuffle(requests)
        times, answers = ([], []), set()
        for address, kind in requests:
            status, text, seconds = self.send(path, {"email": address}, OWN_PAGE)
            times[kind].append(seconds)
            answers.add((status, text))
        if len(answers) != 1:
            self.fail(f"{path} answers differently: {answers}")
        medians = [1e6 * sorted(each)[len(each) // 2] for each in times]
        return mann_whitney(*times), medians

    def run(self):
        settings = (f"data_dir={self.path('data')}", f"server.port={self.port}", "server.trusted_proxies=[127.0.0.1]",
                    "plans.public.per_minute=0", "plans.public.per_day=0", "logging.level=error", "signup.mode=open",
                    "mail.plugin=outbox", "mail.config.from=docs@example.org")
        self.start_kbase(self.options.kbase, *(word for setting in settings for word in ("--set", setting)))
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        names = [f"{secrets.token_hex(6)}@example.org" for _ in range((RUNS * 2 + 1) * self.options.addresses)]
        known, others = names[:self.options.addresses], names[self.options.addresses:]
        self.create_accounts(known)
        for path in ("/sessions", "/accounts"):
            for attempt in range(RUNS):
                unknown, others = others[:self.options.addresses], others[self.options.addresses:]
                p, medians = self.compare(path, known, unknown)
                print(f"{path}: p {p:.3f}, medians {medians[0]:.0f} and {medians[1]:.0f} microseconds", flush=True)
                if p > LEAST_P:
                    break
            else:
                self.fail(f"the times of {path} differ between addresses with and without an account")
        found = sum(self.send("/sessions/confirm", {"token": secrets.token_hex(32)}, OWN_PAGE)[0] != 400
                    for _ in range(self.options.guesses))
        if found:
            self.fail(f"{found} guessed tokens are valid, or got another answer")
        record_result("addresses with and without an account, and guessed tokens", "nothing", self.failures)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kbase", required=True)
    parser.add_argument("--addresses", type=int, default=1000)
    parser.add_argument("--guesses", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    run_to_end(Enumeration(parser.parse_args()))


if __name__ == "__main__":
    main()
