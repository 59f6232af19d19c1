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

from load import marker_of, Mixed, write_items
from processes import Workplace, fetch, free_port, record, run_to_end, wait_for

ALONE, CROWD = 16, 512  # connections
WARM_UP = 1  # seconds
HEALTH_WITHIN = 1.0  # seconds


class HealthProbe(threading.Thread):
    """Polls /health continuously."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.port, self.slowest, self.others, self.going = port, 0.0, [], True
        self.start()

    def run(self):
        while self.going:
            began = time.monotonic()
            status, _ = fetch(self.port, "/api/v1/health")
            self.slowest = max(self.slowest, time.monotonic() - began)
            if status != 200:
                self.others.append(status)
            time.sleep(0.1)

    def finish(self):
        self.going = False
        self.join()


class Overload(Workplace):
    def __init__(self, options):
        super().__init__("overload")
        self.options = options
        self.port = free_port()

    def arguments(self):
        settings = (f"data_dir={self.path('data')}", f"server.port={self.port}", "server.threads=1", "plans.public.per_minute=0",
                    "plans.public.per_day=0", "logging.level=error")
        return [word for setting in settings for word in ("--set", setting)]

    def write_searches(self):
        targets, choices = Mixed("base", self.options.items, {"search": 1}), random.Random(1)
        with open(self.path("searches"), "w", encoding="ascii") as file:
            file.writelines(f"/api/v1{targets(choices)[1]}&match=any\n" for _ in range(2000))

    def is_found(self):
        return fetch(self.port, f"/api/v1/search?q={marker_of('base')}")[0] == 200

    def load(self, **options):
        """Returns the responses by status, and the number of requests for which no connection was free."""
        command = [self.options.load, str(self.port), self.path("searches"), f"seconds={self.options.seconds}",
                   f"warm_up={WARM_UP}", *(f"{name}={value}" for name, value in options.items())]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            self.fail(f"not every request was answered: {done.stderr.strip()}")
            return {}
        return json.loads(done.stdout)["answers"]

    def run(self):
        subprocess.run([self.options.kbase, "import", write_items(self.path("base.jsonl"), "base", self.options.items),
                        *self.arguments()], check=True, capture_output=True)
        self.start_kbase(self.options.kbase, *self.arguments())
        wait_for("the index", self.is_found)
        self.write_searches()
        best = self.load(connections=ALONE).get("200", {"count": 0})["count"]
        if best == 0:
            sys.exit("the server answered nothing before there was any overload")
        probe = HealthProbe(self.port)
        answers = self.load(connections=CROWD, rate=2 * best // self.options.seconds)
        probe.finish()
        began = time.monotonic()
        well = self.is_found()
        self.judge(best, answers, probe, well, time.monotonic() - began)

    def judge(self, best, answers, probe, well, took):
        others = {status: times["count"] for status, times in answers.items() if status not in ("200", "503")}
        nothing = {"count": 0, "p99_ms": 0.0}
        kept, refused = answers.get("200", nothing), answers.get("503", nothing)
        share = kept["count"] / best
        print(f"alone {best / self.options.seconds:,.0f}/s; asked for twice as many, {share:.2f} of that were answered, 99 %"
              f" within {kept['p99_ms']:.0f} ms, and {refused['count']} refused, 99 % within {refused['p99_ms']:.0f} ms; /health"
              f" within {probe.slowest * 1000:.0f} ms; the first search afterwards took {took * 1000:.0f} ms")
        if others:
            self.fail(f"there were other answers: {others}")
        if share < self.options.least:
            self.fail(f"only {share:.2f} of what could be answered was")
        if probe.others or probe.slowest > HEALTH_WITHIN:
            self.fail(f"/health took {probe.slowest:.2f} s, statuses other than 200: {probe.others}")
        if not well:
            self.fail("the first search afterwards was refused")
        record(f"twice the searches that the server can answer, for {self.options.seconds} s",
               f"{1 - min(1.0, share):.0%} of what it can answer; {refused['count']:,} were told 503, 99 % within"
               f" {refused['p99_ms']:.0f} ms", self.failures)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kbase", required=True)
    parser.add_argument("--load", required=True)
    parser.add_argument("--seconds", type=int, default=6)
    parser.add_argument("--items", type=int, default=5000)
    parser.add_argument("--least", type=float, default=0.6, help="the part that has to be answered")
    run_to_end(Overload(parser.parse_args()))


if __name__ == "__main__":
    main()
