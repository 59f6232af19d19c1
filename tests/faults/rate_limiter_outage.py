#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Server whose rate limiter's Redis fails: tests that no request waits and that not too many are admitted.

Usage: rate_limiter_outage.py --kbase PROGRAM [--away SECONDS] [--times FACTOR] [--untimed] [KIND...]
Eight clients send requests to one server continuously while its Redis
- is frozen, killed, full, readonly (a replica whose primary is dead) or loading, and then recovers: no request
  waits longer than 100 ms, few acquires fail at Redis, every request is answered, and Redis counts again once it
  is healthy;
- forgot its counts: it is killed and restarted, and no client is admitted more than twice its limit;
- sentinels, cluster: is a primary that is killed (kill -9) permanently and replaced by its replica. The same
  limits hold; with when_unavailable: deny, the number of acquires that the replica had not received is reported.
--times multiplies all time limits, including the server's timeouts, for a busy machine. --untimed does not
check request times, which depend on the machine. Prints a line for each kind, and one for each failure. Without
KIND, all kinds run. Exit code 77: Redis is missing.
"""
import argparse
import collections
import http.client
import json
import multiprocessing
import random
import signal
import socket
import sys
import time

from processes import SKIPPED, Workspace, free_port, metric, record_result, report_failures, wait_for
from redis_servers import Redis, WatchedRedis, has_redis

CLIENTS = 8
MAX_FAILED_ACQUIRES = 3 * CLIENTS  # acquires: those in flight when it failed, and some health checks before it recovered
MAX_LATENCY, RATE_LIMITER_TIMEOUT, QUEUE_TIME = 100, 50, 100  # milliseconds; the last two are the server's defaults
STEADY_TIME = 2.0  # seconds before and after the fault
FAILOVER_TIMEOUT = 15.0  # seconds until a replica has taken over and the server has found it
PER_MINUTE = 100  # limit of an address in the failover kinds
BUSY, IDLE = 20, 200  # addresses: half of all requests come from the busy ones, which soon reach their limit

Response = collections.namedtuple("Response", "began seconds status address")


class Client:
    """Sends requests as fast as it can in its own process, until it is stopped."""

    def __init__(self, port, seed):
        self.ours, theirs = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=self.send_requests, args=(port, random.Random(seed), theirs))
        self.process.start()
        theirs.close()

    def responses(self):
        self.ours.send("stop")
        responses = self.ours.recv()
        self.process.join()
        return responses

    @staticmethod
    def send_requests(port, choices, pipe):
        responses = []
        with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
            while not pipe.poll():
                busy = choices.random() < 0.5
                address = f"10.0.{0 if busy else 1}.{choices.randrange(BUSY if busy else IDLE)}"
                began = time.monotonic()
                connection.sendall(f"GET /api/v1/categories HTTP/1.1\r\nHost: test\r\nX-Forwarded-For: {address}\r\n\r\n".encode())
                response = http.client.HTTPResponse(connection)
                response.begin()
                response.read()
                responses.append(Response(began, time.monotonic() - began, response.status, address))
        pipe.send(responses)


class OneRedis:
    """Faults of a single Redis server. Each returns the function that ends it."""

    def __init__(self, test):
        self.away = test.options.away
        self.redis = Redis(test)
        self.url = f"redis://127.0.0.1:{self.redis.port}"

    def freeze(self):
        self.redis.process.send_signal(signal.SIGSTOP)
        return lambda: self.redis.process.send_signal(signal.SIGCONT)

    def kill(self):
        self.redis.kill()
        return self.redis.start

    def fill(self):
        self.redis.cli("config", "set", "maxmemory", 1)
        return lambda: self.redis.cli("config", "set", "maxmemory", 0)

    def demote(self):
        self.redis.cli("replicaof", "127.0.0.1", 1)
        return lambda: self.redis.cli("replicaof", "no", "one")

    def load(self):
        """Starts with so many keys that, at a millisecond per key, it loads for the duration of the fault."""
        self.redis.cli("debug", "populate", int(self.away * 1000), "key", 100)
        self.redis.cli("save")
        self.redis.kill()
        self.redis.start("--key-load-delay", "1000", "--loading-process-events-interval-bytes", "1024")
        return lambda: wait_for("the end of loading", lambda: "loading:0" in self.redis.cli("info", "persistence"))


class ClusteredRedis:
    """Three primaries, the first with a replica."""

    def __init__(self, test):
        self.nodes = [Redis(test, "--cluster-enabled", "yes", "--cluster-port", str(free_port()), "--cluster-node-timeout", "1000")
                      for _ in range(4)]
        first = self.nodes[0]
        for number, node in enumerate(self.nodes):
            node.cli("cluster", "set-config-epoch", number + 1)
            if number < 3:
                node.cli("cluster", "addslotsrange", 16384 * number // 3, 16384 * (number + 1) // 3 - 1)
            if number > 0:
                first.cli("cluster", "meet", "127.0.0.1", node.port, node.cli("config", "get", "cluster-port").split()[-1])
        for node in self.nodes:
            wait_for("the cluster", lambda node=node: self.sees_all(node))
        replica = self.nodes[3]
        replica.cli("cluster", "replicate", first.cli("cluster", "myid"))
        wait_for("the replica", lambda: "master_link_status:up" in replica.cli("info", "replication"))
        self.url = "redis+cluster://" + ",".join(f"127.0.0.1:{node.port}" for node in self.nodes[:3])

    @staticmethod
    def sees_all(node):
        reply = node.cli("cluster", "info")
        return "cluster_state:ok" in reply and "cluster_known_nodes:4" in reply

    def kill(self):
        self.nodes[0].kill()
        return lambda: None


class KbaseServer:
    """The kbase server and its metrics."""

    def __init__(self, test, url, per_minute, when_unavailable):
        self.port, self.admin_port = free_port(), free_port()
        times = test.options.times
        settings = {
            "data_dir": test.path(f"data-{self.port}"),
            "server": {"port": self.port, "trusted_proxies": ["127.0.0.1/32"], "max_queue_time": f"{QUEUE_TIME * times}ms"},
            "admin": {"port": self.admin_port},
            "storage": {"plugin": "memory"},
            "rate_limit": {"plugin": "redis", "secret": "a secret that only this test ever uses",
                           "timeout": f"{RATE_LIMITER_TIMEOUT * times}ms", "when_unavailable": when_unavailable, "config": {"url": url}},
            "plans": {"public": {"per_minute": per_minute, "per_day": 0}},
            "logging": {"level": "warning", "format": "json"},
        }
        file = test.path(f"kbase-{self.port}.yaml")
        with open(file, "w", encoding="utf-8") as text:
            json.dump(settings, text)  # JSON is also YAML
        test.start_kbase(test.options.kbase, "--config", file)

    def metric(self, name):
        return metric(self.admin_port, name)

    def is_counting(self):
        return self.metric('kbase_service_up{service="rate_limit"}') == 1

    def remaining(self, address):
        """Reads the remaining requests from /health, which is not charged."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request("GET", "/api/v1/health", headers={"X-Forwarded-For": address})
        response = connection.getresponse()
        connection.close()
        return int(response.getheader("X-RateLimit-Remaining"))


class FaultRun(Workspace):
    """One kind of fault, from the start of all processes to their end."""

    def __init__(self, options, name, setup, fault, when_unavailable=None):
        super().__init__("rate-limiter-outage")
        self.options = options
        self.name = name if when_unavailable is None else f"{name}, {when_unavailable}"
        self.setup = setup
        self.fault = fault
        self.when_unavailable = when_unavailable  # value of when_unavailable if admissions are checked; None if they are not

    def fail(self, what):
        super().fail(f"{self.name}: {what}")

    def run(self):
        try:
            setup = self.setup(self)
            server = KbaseServer(self, setup.url, PER_MINUTE if self.when_unavailable else 1_000_000, self.when_unavailable or "local")
            clients = [Client(server.port, seed) for seed in range(CLIENTS)]
            try:
                times, failed_acquires, fallback_decisions = self.inject_fault(setup, server)
            finally:
                responses = [response for client in clients for response in client.responses()]
            self.report_results(responses, times, failed_acquires, fallback_decisions)
            lost = self.check_admissions(responses, server) if self.when_unavailable else ""
        finally:
            self.end()
        slowest = max(response.seconds for response in responses) * 1000
        refused = sum(response.status == 503 for response in responses)
        record_result(f"Redis {self.name}, under {len(responses):,} requests",
                      lost and f"{lost}; {refused:,} requests rejected with 503", self.failures,
                      f"{'' if refused else 'no request; '}slowest response {slowest:.0f} ms; Redis counted again"
                      f" {times[2] - times[1]:.1f} s after the fault")

    def inject_fault(self, setup, server):
        """Injects the fault. Returns the times when it began, when it ended and when Redis counted again; the
        number of acquires that Redis did not answer; and the number decided without Redis."""
        time.sleep(STEADY_TIME)
        before = server.metric("kbase_rate_limit_failures_total")
        if not server.is_counting() or before > 0 and not self.options.untimed:
            self.fail("Redis was slow before the fault")
        began = time.monotonic()
        end_fault = getattr(setup, self.fault)()
        if self.setup is OneRedis:
            time.sleep(max(0.0, began + self.options.away - time.monotonic()))
        end_fault()
        ended = time.monotonic()
        back, total = ended, -1.0
        # Redis counts again when no decision is made without it any more, which takes a second to observe.
        while time.monotonic() < max(back, ended) + 2:
            now = server.metric("kbase_rate_limit_fallback_decisions_total")
            if now != total or not server.is_counting():
                back, total = time.monotonic(), now
            if back > ended + FAILOVER_TIMEOUT:
                self.fail(f"requests were not counted again within {FAILOVER_TIMEOUT:.0f} s")
                break
            time.sleep(0.01)
        return (began, ended, back), server.metric("kbase_rate_limit_failures_total") - before, total

    def report_results(self, responses, times, failed_acquires, fallback_decisions):
        began, ended, back = times
        statuses = collections.Counter(response.status for response in responses)
        expected = {200, 429} if self.when_unavailable else {200}
        if self.when_unavailable == "deny":
            expected.add(503)
        if set(statuses) - expected:
            self.fail(f"statuses were {dict(statuses)}")
        parts = []
        for what, start, end in (("before", 0, began), ("during", began, ended), ("recovery", ended, back), ("after", back, back + 60)):
            times_ms = [response.seconds * 1000 for response in responses if start <= response.began + response.seconds and response.began < end]
            if start != end and times_ms:
                parts.append(f"{what} {len(times_ms):,} requests, slowest {max(times_ms):.0f} ms")
        if self.setup is OneRedis and failed_acquires > MAX_FAILED_ACQUIRES:
            self.fail(f"{failed_acquires:.0f} acquires failed at Redis")
        slowest = max(response.seconds for response in responses) * 1000
        allowed = MAX_LATENCY * self.options.times
        if slowest > allowed and not self.options.untimed:
            late = sorted(response.began + response.seconds - began for response in responses if response.seconds * 1000 > allowed)
            self.fail(f"{len(late)} requests took longer than {allowed} ms, the first {late[0]:.1f} s after the fault began")
        print(f"{self.name:17} {'; '.join(parts)}; recovered after {back - ended:.1f} s; failed acquires {failed_acquires:.0f}, "
              f"fallback decisions {fallback_decisions:.0f}", flush=True)

    def check_admissions(self, responses, server):
        """Checks the admissions, which must all be within one minute. Returns the lost acquires, if they can be
        determined."""
        if time.monotonic() - min(response.began for response in responses) > 55:
            self.fail("this machine is too slow: the first requests are a minute old")
            return ""
        admitted = collections.Counter(response.address for response in responses if response.status == 200)
        highest = max(admitted.values())
        if highest > 2 * PER_MINUTE:
            self.fail(f"an address was admitted {highest} times; limit {PER_MINUTE}")
        summary, lost = f"{'':17} admitted per address: at most {highest}, limit {PER_MINUTE} a minute", ""
        if self.when_unavailable == "deny":  # nothing was admitted without being charged
            used = {address: PER_MINUTE - server.remaining(address) for address in admitted}
            lost = f"{sum(max(0, admitted[address] - used[address]) for address in admitted)} of {admitted.total()} acquires"
            unconfirmed = sum(max(0, used[address] - admitted[address]) for address in admitted)
            summary += f"; lost {lost}; charged without a response {unconfirmed}"
        print(summary, flush=True)
        return lost


KINDS = {
    "frozen": [(OneRedis, "freeze")],
    "killed": [(OneRedis, "kill")],
    "full": [(OneRedis, "fill")],
    "readonly": [(OneRedis, "demote")],
    "loading": [(OneRedis, "load")],
    "forgot": [(OneRedis, "kill", "local")],
    "sentinels": [(WatchedRedis, "kill", "local"), (WatchedRedis, "kill", "deny")],
    "cluster": [(ClusteredRedis, "kill", "local"), (ClusteredRedis, "kill", "deny")],
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kbase", required=True)
    parser.add_argument("--away", type=float, default=4, help="duration of the fault in seconds")
    parser.add_argument("--times", type=int, default=1, metavar="FACTOR", help="multiplies all time limits")
    parser.add_argument("--untimed", action="store_true", help="do not check request times")
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=", ".join(KINDS))
    options = parser.parse_args()
    unknown = set(options.kinds) - set(KINDS)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    if not has_redis():
        print("SKIPPED: redis-tools is not installed")
        sys.exit(SKIPPED)
    failures = []
    for kind in options.kinds or KINDS:
        for variant in KINDS[kind]:
            run = FaultRun(options, kind, *variant)
            run.run()
            failures += run.failures
    sys.exit(report_failures(failures))


if __name__ == "__main__":
    main()
