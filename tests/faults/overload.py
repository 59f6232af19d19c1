#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Load of twice a server's capacity: tests that it still serves at its capacity, and recovers afterwards.

Usage: overload.py --kbase PROGRAM --load PROGRAM [--seconds 6] [--items 5000] [--least 0.6]
--load is tests/bench's http_load. First, 16 clients send requests as fast as they are answered. Then requests
arrive at twice that rate over 512 connections. Each must be answered, with 200 or immediately with 503. At
least the fraction --least of the previous rate must succeed, /health must respond within a second throughout,
and afterwards the first search must succeed.
"""
import argparse
import json
import random
import subprocess
import sys
import threading
import time

from load import marker_of, RequestMix, write_items
from processes import Workspace, fetch, free_port, record_result, run_to_end, wait_for

BASE_CONNECTIONS, OVERLOAD_CONNECTIONS = 16, 512  # connections
WARM_UP = 1  # seconds
HEALTH_WITHIN = 1.0  # seconds


class HealthPoller(threading.Thread):
    """Polls /health continuously."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.port, self.slowest, self.unexpected, self.running = port, 0.0, [], True
        self.start()

    def run(self):
        while self.running:
            began = time.monotonic()
            status, _ = fetch(self.port, "/api/v1/health")
            self.slowest = max(self.slowest, time.monotonic() - began)
            if status != 200:
                self.unexpected.append(status)
            time.sleep(0.1)

    def finish(self):
        self.running = False
        self.join()


class Overload(Workspace):
    def __init__(self, options):
        super().__init__("overload")
        self.options = options
        self.port = free_port()

    def arguments(self):
        settings = (f"data_dir={self.path('data')}", f"server.port={self.port}", "server.threads=1", "plans.public.per_minute=0",
                    "plans.public.per_day=0", "logging.level=error")
        return [word for setting in settings for word in ("--set", setting)]

    def write_searches(self):
        targets, choices = RequestMix("base", self.options.items, {"search": 1}), random.Random(1)
        with open(self.path("searches"), "w", encoding="ascii") as file:
            file.writelines(f"/api/v1{targets(choices)[1]}&match=any\n" for _ in range(2000))

    def is_search_working(self):
        return fetch(self.port, f"/api/v1/search?q={marker_of('base')}")[0] == 200

    def load(self, **options):
        """Returns the responses by status, and the number of requests for which no connection was free."""
        command = [self.options.load, str(self.port), self.path("searches"), f"seconds={self.options.seconds}",
                   f"warm_up={WARM_UP}", *(f"{name}={value}" for name, value in options.items())]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            self.fail(f"not every request was answered: {done.stderr.strip()}")
            return {}
        return json.loads(done.stdout)["responses"]

    def run(self):
        subprocess.run([self.options.kbase, "import", write_items(self.path("base.jsonl"), "base", self.options.items),
                        *self.arguments()], check=True, capture_output=True)
        self.start_kbase(self.options.kbase, *self.arguments())
        wait_for("the index", self.is_search_working)
        self.write_searches()
        best = self.load(connections=BASE_CONNECTIONS).get("200", {"count": 0})["count"]
        if best == 0:
            sys.exit("the server answered no request before the overload")
        poller = HealthPoller(self.port)
        responses = self.load(connections=OVERLOAD_CONNECTIONS, rate=2 * best // self.options.seconds)
        poller.finish()
        began = time.monotonic()
        recovered = self.is_search_working()
        self.check_result(best, responses, poller, recovered, time.monotonic() - began)

    def check_result(self, best, responses, poller, recovered, took):
        unexpected = {status: times["count"] for status, times in responses.items() if status not in ("200", "503")}
        none = {"count": 0, "p99_ms": 0.0}
        served, refused = responses.get("200", none), responses.get("503", none)
        share = served["count"] / best
        print(f"capacity {best / self.options.seconds:,.0f}/s; at twice that rate {share:.2f} of it served, p99"
              f" {served['p99_ms']:.0f} ms; {refused['count']} rejected with 503, p99 {refused['p99_ms']:.0f} ms; /health at most"
              f" {poller.slowest * 1000:.0f} ms; the first search afterwards took {took * 1000:.0f} ms")
        if unexpected:
            self.fail(f"unexpected statuses: {unexpected}")
        if share < self.options.least:
            self.fail(f"only {share:.2f} of the capacity was served")
        if poller.unexpected or poller.slowest > HEALTH_WITHIN:
            self.fail(f"/health took {poller.slowest:.2f} s, statuses other than 200: {poller.unexpected}")
        if not recovered:
            self.fail("the first search afterwards failed")
        record_result(f"searches at twice the server's capacity, for {self.options.seconds} s",
                      f"{1 - min(1.0, share):.0%} of the capacity; {refused['count']:,} requests rejected with 503, p99"
                      f" {refused['p99_ms']:.0f} ms", self.failures)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kbase", required=True)
    parser.add_argument("--load", required=True)
    parser.add_argument("--seconds", type=int, default=6)
    parser.add_argument("--items", type=int, default=5000)
    parser.add_argument("--least", type=float, default=0.6, help="minimum fraction of the capacity that must be served")
    run_to_end(Overload(parser.parse_args()))


if __name__ == "__main__":
    main()
