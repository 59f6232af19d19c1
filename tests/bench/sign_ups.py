#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Latency of item reads while people sign up and the mail server is slow, compared with that without sign-ups.

Usage: sign_ups.py --build DIR [--people 1000] [--rate 500] [--seconds 20] [--runs 5]
Reads items at a fixed rate: alone, while another client sends --people requests for an item, evenly over the time, and
while that client asks for --people links instead. The other client competes for the processors, so only the last two
compare what kbase does. The mail server takes half a second for each mail. Needs aiosmtpd (python3-aiosmtpd). Prints the
percentiles of each run and the medians.
"""
import argparse
import asyncio
import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from aiosmtpd.controller import Controller

from serving import Server, serve_command, write_paths

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from free_port import free_port  # noqa: E402

ITEMS = 2000
KINDS = ("alone", "requests", "sign-ups")
MAIL_SECONDS = 0.5


def yield_processors():
    """Lets the calling thread run only while nothing else wants its processor, so that the test does not disturb."""
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


class SlowMailServer:
    async def handle_DATA(self, server, session, envelope):
        yield_processors()
        await asyncio.sleep(MAIL_SECONDS)
        return "250 OK"


def write_items(file):
    with open(file, "w", encoding="utf-8") as lines:
        for number in range(ITEMS):
            lines.write(json.dumps({"id": f"item-{number}", "title": f"Item {number}", "category": "bench",
                                    "content": f"Text of the item {number}. " * 50}) + "\n")
    return file


def sign_up(port, run, people, seconds, asks_for_link=True):
    yield_processors()
    began = time.monotonic()
    for number in range(people):
        time.sleep(max(0, began + number * seconds / people - time.monotonic()))
        connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=20)
        headers = {"Content-Type": "application/json", "X-Forwarded-For": f"10.{run}.{number >> 8}.{number & 255}"}
        if asks_for_link:
            connection.request("POST", "/api/v1/accounts", json.dumps({"email": f"person{run}-{number}@example.org"}), headers)
        else:
            connection.request("GET", "/api/v1/item/item-1", None, headers)
        response = connection.getresponse()
        response.read()
        connection.close()
        if response.status != (202 if asks_for_link else 200):
            raise RuntimeError(f"sign-up got {response.status}")


def measure(options, port, paths):
    done = subprocess.run([os.path.join(options.build, "tests/bench/http_load"), port, paths, f"rate={options.rate}",
                           f"seconds={options.seconds}", "connections=16"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--people", type=int, default=1000)
    parser.add_argument("--rate", type=int, default=500)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    kbase = os.path.join(options.build, "app/kbase")
    mails = Controller(SlowMailServer(), hostname="127.0.0.1", port=free_port())
    mails.start()
    with tempfile.TemporaryDirectory() as folder:
        settings = ("signup.mode=open", "signup.public_url=http://docs.example.org", "mail.plugin=smtp", "mail.config.tls=none",
                    f"mail.config.url=smtp://127.0.0.1:{mails.port}",
                    "mail.config.from=docs@example.org", "server.trusted_proxies=[127.0.0.1]", "logging.level=error")
        data = os.path.join(folder, "data")
        subprocess.run([kbase, "import", write_items(os.path.join(folder, "items.jsonl")), "--set", f"data_dir={data}"],
                       check=True, stdout=subprocess.DEVNULL)
        paths = write_paths(os.path.join(folder, "paths"), [f"/api/v1/item/item-{number}" for number in range(ITEMS)])
        results = {kind: [] for kind in KINDS}
        with Server(serve_command(kbase, data, *settings)) as server:
            measure(options, server.port, paths)  # fills the caches
            for run in range(options.runs):
                for kind in KINDS:
                    people = options.people if kind != "alone" else 0
                    asker = threading.Thread(target=sign_up, args=(server.port, run, people, options.seconds, kind == "sign-ups"))
                    asker.start()
                    result = measure(options, server.port, paths)
                    asker.join()
                    results[kind].append(result["responses"]["200"])
                    print(f"{kind:9}", json.dumps(result), flush=True)
    mails.stop()
    for name in ("p50_ms", "p99_ms"):
        medians = {kind: statistics.median(result[name] for result in results[kind]) for kind in KINDS}
        ratios = {kind: round(medians["sign-ups"] / medians[kind], 2) for kind in ("alone", "requests")}
        print(name, medians, "sign-ups compared with", ratios)


if __name__ == "__main__":
    main()
