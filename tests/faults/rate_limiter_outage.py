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

from processes import SKIPPED, Workplace, free_port, metric, record, report, wait_for
from redis_servers import Redis, WatchedRedis, has_redis

CLIENTS = 8
MOST_IN_VAIN = 3 * CLIENTS  # acquires: those in flight when it failed, and some probes before it recovered
SLOWEST, LEDGER_TIMEOUT, QUEUE_TIME = 100, 50, 100  # milliseconds; the last two are the server's defaults
WELL = 2.0  # seconds before and after the fault
BACK_WITHIN = 15.0  # seconds until a replica has taken over and the server has found it
PER_MINUTE = 100  # limit of an address in the failover kinds
BUSY, IDLE = 20, 200  # addresses: half of all requests come from the busy ones, which soon reach their limit

Answer = collections.namedtuple("Answer", "began seconds status address")


class Client:
    """Sends requests as fast as it can in its own process, until it is stopped."""

    def __init__(self, port, seed):
        self.ours, theirs = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=self.ask, args=(port, random.Random(seed), theirs))
        self.process.start()
        theirs.close()

    def answers(self):
        self.ours.send("stop")
        answers = self.ours.recv()
        self.process.join()
        return answers

    @staticmethod
    def ask(port, choices, pipe):
        answers = []
        with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
            while not pipe.poll():
                busy = choices.random() < 0.5
                address = f"10.0.{0 if busy else 1}.{choices.randrange(BUSY if busy else IDLE)}"
                began = time.monotonic()
                connection.sendall(f"GET /api/v1/categories HTTP/1.1\r\nHost: test\r\nX-Forwarded-For: {address}\r\n\r\n".encode())
                answer = http.client.HTTPResponse(connection)
                answer.begin()
                answer.read()
                answers.append(Answer(began, time.monotonic() - began, answer.status, address))
        pipe.send(answers)


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
        told = node.cli("cluster", "info")
        return "cluster_state:ok" in told and "cluster_known_nodes:4" in told

    def kill(self):
        self.nodes[0].kill()
        return lambda: None


class Served:
    """The kbase server and its metrics."""

    def __init__(self, test, url, per_minute, when_unavailable):
        self.port, self.admin_port = free_port(), free_port()
        times = test.options.times
        settings = {
            "data_dir": test.path(f"data-{self.port}"),
            "server": {"port": self.port, "trusted_proxies": ["127.0.0.1/32"], "max_queue_time": f"{QUEUE_TIME * times}ms"},
            "admin": {"port": self.admin_port},
            "storage": {"plugin": "memory"},
            "rate_limit": {"plugin": "redis", "secret": "a secret that this test has for itself",
                           "timeout": f"{LEDGER_TIMEOUT * times}ms", "when_unavailable": when_unavailable, "config": {"url": url}},
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
        answer = connection.getresponse()
        connection.close()
        return int(answer.getheader("X-RateLimit-Remaining"))


class Trouble(Workplace):
    """One kind of fault, from the start of all processes to their end."""

    def __init__(self, options, name, world, happens, without=None):
        super().__init__("ledger-trouble")
        self.options = options
        self.name = name if without is None else f"{name}, {without}"
        self.world = world
        self.happens = happens
        self.without = without  # value of when_unavailable if admissions are checked; None if they are not

    def fail(self, what):
        super().fail(f"{self.name}: {what}")

    def run(self):
        try:
            world = self.world(self)
            served = Served(self, world.url, PER_MINUTE if self.without else 1_000_000, self.without or "local")
            clients = [Client(served.port, seed) for seed in range(CLIENTS)]
            try:
                times, asked_in_vain, elsewhere = self.trouble(world, served)
            finally:
                answers = [answer for client in clients for answer in client.answers()]
            self.report(answers, times, asked_in_vain, elsewhere)
            lost = self.judge_admissions(answers, served) if self.without else ""
        finally:
            self.end()
        slowest = max(answer.seconds for answer in answers) * 1000
        refused = sum(answer.status == 503 for answer in answers)
        record(f"Redis {self.name}, under {len(answers):,} requests",
               lost and f"{lost}; {refused:,} requests were told 503", self.failures,
               f"{'' if refused else 'no answer; '}the slowest took {slowest:.0f} ms, and Redis counted again after"
               f" {times[2] - times[1]:.1f} s")

    def trouble(self, world, served):
        """Injects the fault. Returns the times when it began, when it ended and when Redis counted again; the
        number of acquires that Redis did not answer; and the number decided without Redis."""
        time.sleep(WELL)
        before = served.metric("kbase_rate_limit_failures_total")
        if not served.is_counting() or before > 0 and not self.options.untimed:
            self.fail("Redis was slow before anything had happened to it")
        began = time.monotonic()
        mend = getattr(world, self.happens)()
        if self.world is OneRedis:
            time.sleep(max(0.0, began + self.options.away - time.monotonic()))
        mend()
        ended = time.monotonic()
        back, total = ended, -1.0
        # Redis counts again when no decision is made without it any more, which takes a second to observe.
        while time.monotonic() < max(back, ended) + 2:
            now = served.metric("kbase_rate_limit_fallback_decisions_total")
            if now != total or not served.is_counting():
                back, total = time.monotonic(), now
            if back > ended + BACK_WITHIN:
                self.fail(f"requests were not counted again within {BACK_WITHIN:.0f} s")
                break
            time.sleep(0.01)
        return (began, ended, back), served.metric("kbase_rate_limit_failures_total") - before, total

    def report(self, answers, times, asked_in_vain, elsewhere):
        began, ended, back = times
        statuses = collections.Counter(answer.status for answer in answers)
        wanted = {200, 429} if self.without else {200}
        if self.without == "deny":
            wanted.add(503)
        if set(statuses) - wanted:
            self.fail(f"answers were {dict(statuses)}")
        parts = []
        for what, start, end in (("well", 0, began), ("away", began, ended), ("until back", ended, back), ("back", back, back + 60)):
            spent = [answer.seconds * 1000 for answer in answers if start <= answer.began + answer.seconds and answer.began < end]
            if start != end and spent:
                parts.append(f"{what} {len(spent):,} requests, slowest {max(spent):.0f} ms")
        if self.world is OneRedis and asked_in_vain > MOST_IN_VAIN:
            self.fail(f"{asked_in_vain:.0f} takes asked it in vain")
        slowest = max(answer.seconds for answer in answers) * 1000
        allowed = SLOWEST * self.options.times
        if slowest > allowed and not self.options.untimed:
            late = sorted(answer.began + answer.seconds - began for answer in answers if answer.seconds * 1000 > allowed)
            self.fail(f"{len(late)} requests took longer than {allowed} ms, first {late[0]:.1f} s after it began")
        print(f"{self.name:17} {'; '.join(parts)}; back after {back - ended:.1f} s; asked in vain {asked_in_vain:.0f}, "
              f"answered without {elsewhere:.0f}", flush=True)

    def judge_admissions(self, answers, served):
        """Checks the admissions, which must all be within one minute. Returns the lost acquires, if they can be
        determined."""
        if time.monotonic() - min(answer.began for answer in answers) > 55:
            self.fail("this machine is too slow: the first requests are a minute old")
            return ""
        admitted = collections.Counter(answer.address for answer in answers if answer.status == 200)
        most = max(admitted.values())
        if most > 2 * PER_MINUTE:
            self.fail(f"an address was let in {most} times, at a limit of {PER_MINUTE}")
        said, lost = f"{'':17} let in: {most} at most, of {PER_MINUTE} a minute", ""
        if self.without == "deny":  # nothing was admitted without being charged
            used = {address: PER_MINUTE - served.remaining(address) for address in admitted}
            lost = f"{sum(max(0, admitted[address] - used[address]) for address in admitted)} of {admitted.total()} takes"
            unheard = sum(max(0, used[address] - admitted[address]) for address in admitted)
            said += f"; lost {lost}; charged without an answer {unheard}"
        print(said, flush=True)
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
    parser.add_argument("--away", type=float, default=4, help="seconds of trouble")
    parser.add_argument("--times", type=int, default=1, metavar="FACTOR", help="how many times as long all may take")
    parser.add_argument("--untimed", action="store_true", help="judge no times of requests")
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
        for scene in KINDS[kind]:
            trouble = Trouble(options, kind, *scene)
            trouble.run()
            failures += trouble.failures
    sys.exit(report(failures))


if __name__ == "__main__":
    main()
