#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Acquires from one rate limiter with many threads or processes, kills some of them, and verifies its exactness.

Usage: rate_limiter_exactness.py --tools DIR --plugin FILE [--acquires N] [--seed N] memory|redis
memory: 64 threads of one process, with a clock so fast that the acquires fill many windows.
redis: 8 processes on one Redis that the test starts. Processes are killed (kill -9) and connections closed
(CLIENT KILL) at random moments; a killed process is restarted for its remaining acquires.
No 60 seconds may have an excess admission. A denial below the limit is only allowed for acquires affected by a
kill, which are counted. Exit code 77: Redis is missing.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import time

from processes import SKIPPED, Workspace, record_result, run_to_end
from redis_servers import Redis, has_redis

PROCESSES = 8
THREADS = 4  # per process on Redis
PER_MINUTE = 100
RECORD_SIZE = 16  # bytes


class FaultTest(Workspace):
    def __init__(self, options):
        super().__init__("rate-limiter-test")
        self.options = options
        self.random = random.Random(options.seed)
        self.logs = []
        self.kills = 0
        self.closed_connections = 0

    def start_acquiring(self, settings, threads, acquires, clients, speed):
        """Starts a process that acquires; its log survives a kill."""
        log = self.path(f"acquires-{len(self.logs)}")
        self.logs.append(log)
        tool = os.path.join(self.options.tools, "rate_limiter_load")
        arguments = [threads, acquires, clients, PER_MINUTE, self.options.seed + len(self.logs), speed]
        return self.start([tool, self.options.plugin, json.dumps(settings), log, *map(str, arguments)]), log, acquires

    def run(self):
        began = time.monotonic()
        clients = max(20, self.options.acquires // 20_000)
        if self.options.mode == "memory":
            # About 40 times as many acquires as the windows of that time admit.
            process, _, _ = self.start_acquiring({}, 64, self.options.acquires, clients, 200)
            done = process.wait() == 0
        else:
            done = self.run_redis(clients)
        seconds = time.monotonic() - began
        print(f"{self.options.mode}   seconds {seconds:.0f}   processes killed {self.kills}   connections closed {self.closed_connections}")
        verify = os.path.join(self.options.tools, "rate_limiter_verify")
        verdict = subprocess.run([verify, str(PER_MINUTE), *self.logs], check=False).returncode
        if not done or verdict != 0:
            self.fail("the admissions do not match the limits")
        record_result(f"{self.options.acquires:,} acquires on one rate limiter ({self.options.mode}), {self.kills} processes killed,"
                      f" {self.closed_connections} connections closed", "", self.failures, "no acquire; no excess admission")

    def run_redis(self, clients):
        redis = Redis(self)
        settings = {"url": f"redis://127.0.0.1:{redis.port}"}
        share = self.options.acquires // PROCESSES
        running = [self.start_acquiring(settings, THREADS, share, clients, 0) for _ in range(PROCESSES)]
        failed = False
        next_fault = time.monotonic() + self.random.uniform(0.2, 1)
        while running:
            if time.monotonic() >= next_fault:
                self.inject_fault(running, redis)
                next_fault = time.monotonic() + self.random.uniform(0.5, 4)
            for entry in list(running):
                process, log, acquires = entry
                try:
                    process.wait(timeout=0.05)
                except subprocess.TimeoutExpired:
                    continue
                running.remove(entry)
                if process.returncode == -9:
                    remaining = acquires - self.count_records(log)
                    if remaining > 0:
                        running.append(self.start_acquiring(settings, THREADS, remaining, clients, 0))
                elif process.returncode != 0:
                    failed = True
        return not failed

    def count_records(self, log):
        """Returns how many records a killed process wrote."""
        with open(log, "rb") as file:
            data = file.read()
        return sum(1 for at in range(RECORD_SIZE - 1, len(data), RECORD_SIZE) if data[at] != 0)

    def inject_fault(self, running, redis):
        if self.random.random() < 0.5:
            self.random.choice(running)[0].kill()
            self.kills += 1
            return
        client_list = redis.cli("CLIENT", "LIST", "TYPE", "normal")
        addresses = [part[5:] for line in client_list.splitlines() for part in line.split() if part.startswith("addr=")]
        if addresses and redis.cli("CLIENT", "KILL", "ADDR", self.random.choice(addresses)) == "1":
            self.closed_connections += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mode", choices=["memory", "redis"])
    parser.add_argument("--tools", required=True, help="the folder of rate_limiter_load and rate_limiter_verify")
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--acquires", type=int, default=10_000_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.mode == "redis" and not has_redis():
        print("SKIPPED: redis-tools is not installed")
        sys.exit(SKIPPED)
    run_to_end(FaultTest(options))


if __name__ == "__main__":
    main()
