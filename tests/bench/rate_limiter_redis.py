#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the throughput of the Redis rate limiter with redis-benchmark calling the same script, on a Redis that
this program starts.

Usage: rate_limiter_redis.py --tools DIR [--connections N] [--threads N] [--acquires N] [--runs N]
Both use the same number of connections and clients. The runs alternate, and results are medians.
redis-benchmark pipelines as many commands as threads of the rate limiter wait, because it cannot wait
otherwise. Prints acquires per second.
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from free_port import free_port  # noqa: E402


class Redis:
    def __init__(self, folder):
        program = os.path.join(folder, "redis-server")
        os.symlink("/usr/bin/redis-check-rdb", program)
        self.port = str(free_port())
        self.process = subprocess.Popen([program, "--port", self.port, "--bind", "127.0.0.1", "--save", "", "--dir", folder],
                                        stdout=subprocess.DEVNULL)
        while self.cli("ping", check=False) != "PONG":
            continue

    def cli(self, *words, check=True):
        result = subprocess.run(["redis-cli", "-p", self.port, *words], capture_output=True, text=True, check=check)
        return result.stdout.strip()


def measure_redis_benchmark(redis, digest, options):
    """redis-benchmark's result, with keys as long as the rate limiter's."""
    depth = max(1, options.threads // options.connections)
    result = subprocess.run(
        ["redis-benchmark", "-p", redis.port, "-c", str(options.connections), "-P", str(depth), "-n", str(options.acquires),
         "-r", "10000", "--csv", "evalsha", digest, "1", "kbase:rl:00000000000000000000__rand_int__", "1", "300", "100000"],
        capture_output=True, text=True, check=True)
    return float(result.stdout.strip().splitlines()[-1].split('","')[1])


def measure_rate_limiter(redis, options):
    result = subprocess.run([os.path.join(options.tools, "rate_limiter_redis"), f"redis://127.0.0.1:{redis.port}",
                           str(options.connections), str(options.threads), str(options.acquires)],
                          capture_output=True, text=True, check=True)
    return float(result.stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", required=True)
    parser.add_argument("--connections", type=int, default=2)
    parser.add_argument("--threads", type=int, default=16)
    parser.add_argument("--acquires", type=int, default=200000)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    script = subprocess.run([os.path.join(options.tools, "rate_limiter_redis"), "--script"], capture_output=True, text=True, check=True).stdout
    with tempfile.TemporaryDirectory() as folder:
        redis = Redis(folder)
        try:
            digest = redis.cli("script", "load", script)
            rates = []
            for _ in range(options.runs):
                redis.cli("flushdb")
                benchmark = measure_redis_benchmark(redis, digest, options)
                redis.cli("flushdb")
                rates.append((measure_rate_limiter(redis, options), benchmark))
            bytes_each = int(redis.cli("info", "memory").split("used_memory:")[1].split()[0]) // 10000
        finally:
            redis.process.terminate()
            redis.process.wait()
    mine, theirs = (statistics.median(column) for column in zip(*rates))
    ratio = statistics.median(a / b for a, b in rates)
    print(f"{options.connections} connections, {options.threads} threads: {mine:,.0f} acquires/s, "
          f"redis-benchmark {theirs:,.0f}, ratio {ratio:.2f}; {bytes_each} bytes per client, including the server's base memory")


if __name__ == "__main__":
    main()
