#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A server that counts in a Redis that is in trouble: does a request wait, and is too much let in?

Usage: rate_limiter_outage.py --kbase PROGRAM [--away SECONDS] [--times FACTOR] [--untimed] [KIND...]
Eight clients ask one server without a pause while its Redis
- is frozen, killed, full, readonly (a replica whose primary is dead) or loading, and then well again: nobody waits
  longer than 100 ms, hardly any asks it in vain, everybody is answered, and requests are counted in it again once it
  is well;
- forgot what it had counted: it is killed and started again, and nobody is let in more than twice the limit;
- sentinels, cluster: is a primary that is killed (kill -9) for good, whose replica takes over. Nobody waits or is let in
  more often either; with when_unavailable: deny, also how many takes the replica had not heard of.
--times makes whatever has to be in time, the server's time-outs too, so many times as long, for a machine that has other
work. --untimed judges no times of requests, which are also those of the machine. Prints a line for each, and one for
each way to fail. Without KIND: all of them. Exit code 77: no Redis is here.
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
MOST_IN_VAIN = 3 * CLIENTS  # takes: those under way when it went away, and some where it was tried too early
SLOWEST, LEDGER_TIMEOUT, QUEUE_TIME = 100, 50, 100  # milliseconds; the last two are the server's defaults
WELL = 2.0  # seconds before the trouble, and after it
BACK_WITHIN = 15.0  # seconds for a replica to take over and for the server to find it
PER_MINUTE = 100  # of an address, where a replica takes over
BUSY, IDLE = 20, 200  # addresses: half of all requests come from the busy ones, which soon have nothing left

Answer = collections.namedtuple("Answer", "began seconds status address")


class Client:
    """Asks as fast as it can in a process of its own, until it is told to stop."""

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
    """What can happen to a single server, and how it ends."""

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
        """It starts with so many keys that, at a millisecond each, it loads for as long as it is to be away."""
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
    """The server, and what it says of itself."""

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
            json.dump(settings, text)  # which is YAML too
        test.start_kbase(test.options.kbase, "--config", file)

    def metric(self, name):
        return metric(self.admin_port, name)

    def is_counting(self):
        return self.metric('kbase_service_up{service="rate_limit"}') == 1

    def remaining(self, address):
        """A look, which is not counted."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request("GET", "/api/v1/health", headers={"X-Forwarded-For": address})
        answer = connection.getresponse()
        connection.close()
        return int(answer.getheader("X-RateLimit-Remaining"))


class Trouble(Workplace):
    """One kind of it, from the start of all processes to their end."""

    def __init__(self, options, name, world, happens, without=None):
        super().__init__("ledger-trouble")
        self.options = options
        self.name = name if without is None else f"{name}, {without}"
        self.world = world
        self.happens = happens
        self.without = without  # what when_unavailable says, where admissions are judged; they are not where it is None

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
        """When it began, when it ended and when requests were counted in Redis again; how many takes Redis did not
        answer, and how many were answered without it."""
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
        # It is back when nothing is answered without it any more, which takes a second to tell.
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
        """All of it lies within one minute. Gives what was lost of the takes, where that can be known."""
        if time.monotonic() - min(answer.began for answer in answers) > 55:
            self.fail("this machine is too slow: the first requests are a minute old")
            return ""
        admitted = collections.Counter(answer.address for answer in answers if answer.status == 200)
        most = max(admitted.values())
        if most > 2 * PER_MINUTE:
            self.fail(f"an address was let in {most} times, at a limit of {PER_MINUTE}")
        said, lost = f"{'':17} let in: {most} at most, of {PER_MINUTE} a minute", ""
        if self.without == "deny":  # so that nothing was let in that was not charged
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
