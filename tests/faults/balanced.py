#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Three servers behind haproxy with one Redis and one store: tests that quotas are shared, a revoked key is
rejected everywhere, and a reload loses nothing.

Usage: balanced.py --kbase PROGRAM [--clients 14] [--timeout 2s]
Needs haproxy and Redis (packages haproxy and redis-tools). Starts all processes on free ports in a temporary
folder, and stops them. While clients send requests through haproxy as fast as they can, with several keys and
without one:
- for each key and address, exactly as many requests are admitted as the plan allows;
- all servers are reloaded with a larger plan: no request fails, and exactly the additional requests are
  admitted;
- a key is revoked: every server, queried separately, rejects it within five seconds.
Prints the results, and a line for each failure. Exit code 77: haproxy or Redis is missing.
"""
import argparse
import collections
import http.client
import json
import signal
import subprocess
import sys
import threading
import time

from processes import TIMEOUT, SKIPPED, Workspace, accepts, free_port, find_haproxy, metric, record_result, report_failures, wait_for
from redis_servers import Redis, has_redis

SERVERS = 3
KEYS = 4
ADDRESSES = 3  # 127.0.0.2 and following
FIRST, SECOND = 200, 350  # requests per minute before and after the reload
DENIALS = 200  # of each client at its limit; all further responses must be denials
REVOKED_WITHIN = 5.0  # seconds


class Counts:
    """Counts the responses of one client. Thread-safe."""

    def __init__(self):
        self.lock = threading.Lock()
        self.by_status = collections.Counter()
        self.errors = []

    def add(self, status):
        with self.lock:
            self.by_status[status] += 1

    def fail(self, error):
        with self.lock:
            self.errors.append(str(error))

    def admitted(self):
        with self.lock:
            return self.by_status[200]

    def denied(self):
        with self.lock:
            return self.by_status[429]


class Balanced(Workspace):
    def __init__(self, options):
        super().__init__("balanced")
        self.options = options
        self.redis = None
        self.front_port = free_port()
        self.server_ports = [free_port() for _ in range(SERVERS)]
        self.admin_ports = [free_port() for _ in range(SERVERS)]
        self.servers = []
        self.stopping = threading.Event()

    # ---- start

    def configure(self, per_minute):
        plans = {name: {"per_minute": per_minute, "per_day": 1000000} for name in ("public", "developer")}
        for number, port in enumerate(self.server_ports):
            settings = {
                "data_dir": self.path(f"data{number}"),
                "server": {"port": port, "trusted_proxies": ["127.0.0.1/32"], "max_queue_time": self.options.timeout},
                "admin": {"port": self.admin_ports[number]},
                "storage": {"config": {"path": self.path("content.db"), "state_path": self.path("state.db")}},
                "rate_limit": {"plugin": "redis", "timeout": self.options.timeout,
                               "secret": "the secret that is shared by all servers",
                               "config": {"url": f"redis://127.0.0.1:{self.redis.port}"}},
                "plans": plans,
                "logging": {"level": "warning", "format": "json"},
            }
            with open(self.path(f"kbase{number}.yaml"), "w", encoding="utf-8") as file:
                json.dump(settings, file)  # JSON is also YAML

    def start_servers(self):
        for number in range(SERVERS):
            self.servers.append(self.start_kbase(self.options.kbase, "--config", self.path(f"kbase{number}.yaml")))

    def start_haproxy(self):
        lines = ["global", "  maxconn 2000", "defaults", "  mode http", "  timeout connect 2s", "  timeout client 30s",
                 "  timeout server 40s", "frontend front", f"  bind 127.0.0.1:{self.front_port}",
                 "  default_backend kbase", "backend kbase", "  balance roundrobin", "  http-reuse always",
                 "  http-request set-header X-Forwarded-For %[src]", "  http-request del-header Forwarded"]
        lines += [f"  server kbase{number} 127.0.0.1:{port}" for number, port in enumerate(self.server_ports)]
        with open(self.path("haproxy.cfg"), "w", encoding="ascii") as file:
            file.write("\n".join(lines) + "\n")
        self.start([find_haproxy(), "-db", "-f", self.path("haproxy.cfg")], stdout=subprocess.DEVNULL)
        wait_for("haproxy", lambda: accepts(self.front_port))

    def keys_command(self, *arguments):
        done = subprocess.run([self.options.kbase, "keys", *arguments, "--config", self.path("kbase0.yaml")],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit("kbase keys failed: " + done.stderr)
        return done.stdout

    def create_key(self):
        created = json.loads(self.keys_command("create", "--name", "test", "--plan", "developer", "--json"))
        return created["id"], created["key"]

    # ---- clients

    def fetch_status(self, port, key):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        status = self.fetch_status_on(connection, key)
        connection.close()
        return status

    @staticmethod
    def limit_of(port):
        """Returns the public plan's current limit on a server."""
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        connection.request("GET", "/api/v1/health")
        limit = connection.getresponse().getheader("X-RateLimit-Limit")
        connection.close()
        return int(limit)

    @staticmethod
    def fetch_status_on(connection, key):
        connection.request("GET", "/api/v1/categories", headers={"Authorization": f"Bearer {key}"} if key else {})
        response = connection.getresponse()
        response.read()
        return response.status

    def load(self, counts, key, source):
        """Client that sends requests until it is stopped. A missing response is a failure: no request may be lost."""
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.front_port, timeout=20,
                                                    source_address=(source, 0) if source else None)
            while not self.stopping.is_set():
                counts.add(self.fetch_status_on(connection, key))
            connection.close()
        except (OSError, http.client.HTTPException) as error:
            counts.fail(error)

    def failed_acquires(self):
        """Returns the number of acquires that Redis did not answer in time. Each was decided by its server alone,
        and may have been admitted in excess."""
        return int(sum(metric(port, "kbase_rate_limit_failures_total") for port in self.admin_ports))

    def exhaust(self, clients, limit, phase):
        """Waits until each client has reached its limit, and was then denied often enough to reveal an excess
        admission."""
        wait_for(f"the limit {phase}", lambda: all(counts.admitted() >= limit for counts in clients.values()))
        before = {name: counts.denied() for name, counts in clients.items()}
        wait_for(f"denials {phase}",
                 lambda: all(counts.denied() >= before[name] + DENIALS for name, counts in clients.items()))

    def check(self, clients, limit, phase):
        """Checks that each client was admitted exactly up to its limit and received only 200 and 429."""
        for name, counts in clients.items():
            if counts.admitted() != limit:
                self.failures.append(f"{phase}: {name} was admitted {counts.admitted()} times; limit {limit}")
            others = set(counts.by_status) - {200, 429}
            if others or counts.errors:
                self.failures.append(f"{phase}: {name} received {dict(counts.by_status)} {counts.errors[:2]}")

    def run_quota_and_reload(self, keys):
        clients = {f"key {number}": (Counts(), text, None) for number, (_, text) in enumerate(keys)}
        clients |= {f"address {number}": (Counts(), None, f"127.0.0.{number + 2}") for number in range(ADDRESSES)}
        counts = {name: client[0] for name, client in clients.items()}
        each = max(2, self.options.clients // len(clients))
        threads = [threading.Thread(target=self.load, args=client) for client in clients.values() for _ in range(each)]
        began = time.monotonic()
        for thread in threads:
            thread.start()
        self.exhaust(counts, FIRST, "before the reload")
        self.check(counts, FIRST, "before the reload")
        if any(self.fetch_status(port, text) != 429 for port in self.server_ports for _, text in keys):
            self.failures.append("a server admitted a key that had reached its limit")
        self.configure(SECOND)
        for server in self.servers:
            server.send_signal(signal.SIGHUP)
        wait_for("the reload of every server", lambda: all(self.limit_of(port) == SECOND for port in self.server_ports))
        self.exhaust(counts, SECOND, "after the reload")
        seconds = time.monotonic() - began
        self.stopping.set()
        for thread in threads:
            thread.join()
        if seconds > 55:
            sys.exit("this machine is too slow: the first requests are a minute old")
        self.check(counts, SECOND, "after the reload")
        if self.failed_acquires() > 0:
            self.failures.append(f"Redis did not answer {self.failed_acquires()} acquires in time; see --timeout")
        answered = sum(sum(count.by_status.values()) for count in counts.values())
        print(f"{len(clients)} clients, {len(threads)} connections, {answered} requests in {seconds:.1f} s "
              f"({answered / seconds:.0f}/s): {FIRST} admitted per client, {SECOND} after the reload")

    def run_revocation(self):
        key_id, text = self.create_key()
        for port in self.server_ports:
            if self.fetch_status(port, text) != 200:
                self.failures.append("a server rejected a new key")
        self.keys_command("revoke", key_id)
        began = time.monotonic()
        accepting = set(self.server_ports)
        while accepting and time.monotonic() - began < REVOKED_WITHIN:
            accepting -= {port for port in accepting if self.fetch_status(port, text) == 401}
        if accepting:
            self.failures.append(f"{len(accepting)} servers still accepted a key {REVOKED_WITHIN} s after its revocation")
        else:
            print(f"a revoked key was rejected by all {SERVERS} servers after {time.monotonic() - began:.2f} s")

    def run_usage(self, keys):
        """Checks that the usage reported by the servers equals the admitted requests."""
        expected = {key_id: SECOND for key_id, _ in keys}
        used = {}

        def is_counted():
            rows = json.loads(self.keys_command("usage", "--json"))
            used.update({row["id"]: row["requests"] for row in rows})
            return all(used.get(key_id) == requests for key_id, requests in expected.items())

        until = time.monotonic() + TIMEOUT
        while not is_counted() and time.monotonic() < until:
            continue
        if not is_counted():
            self.failures.append(f"kbase keys usage reports {used}")
        else:
            print(f"kbase keys usage reports {SECOND} requests for each key")

    def run(self):
        self.redis = Redis(self)
        self.configure(FIRST)
        keys = [self.create_key() for _ in range(KEYS)]
        self.start_servers()
        self.start_haproxy()
        self.run_quota_and_reload(keys)
        self.run_revocation()
        self.run_usage(keys)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kbase", required=True)
    parser.add_argument("--clients", type=int, default=14)
    parser.add_argument("--timeout", default="2s", help="timeout of acquires and of queued requests, for a busy machine")
    options = parser.parse_args()
    if find_haproxy() is None or not has_redis():
        print("SKIPPED: haproxy or redis-tools is not installed")
        sys.exit(SKIPPED)
    test = Balanced(options)
    try:
        test.run()
    finally:
        test.end()
    record_result(f"limits, a reload and a revoked key on {SERVERS} servers that share a Redis", "", test.failures,
                  "nothing; no excess admission")
    sys.exit(report_failures(test.failures, test.work))


if __name__ == "__main__":
    main()
