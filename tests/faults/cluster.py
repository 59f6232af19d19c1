#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Several servers behind haproxy, with a PostgreSQL and a Redis that each have a replica: to try, and to inject
faults.

Usage: cluster.py --kbase PROGRAM [--servers 3] [--synchronous] [--opensearch URL|SCRIPT] [--sample SOURCE]
Starts all processes on free ports in a temporary folder, imports SOURCE (default: docs/ of this checkout),
prints the addresses and commands that inject faults, and stops on Ctrl-C. Searches use an index in each server,
or the OpenSearch at URL (or KBASE_TEST_OPENSEARCH_URL), or one that SCRIPT starts: `SCRIPT start PORT FOLDER`
prints a line URL=... when it is ready, and `SCRIPT wipe FOLDER` stops it. With --synchronous, a commit waits
until the replica has it.
Fault tests import the class Cluster. Exit code 77: haproxy, Redis or PostgreSQL is missing.
"""
import argparse
import csv
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import urllib.request

from postgres_servers import Postgres, has_postgres
from processes import SKIPPED, Workspace, accepts, fetch, free_port, find_haproxy, wait_for
from redis_servers import WatchedRedis, has_redis

CHECKOUT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
READY_WITHIN = 60
CHECK_INTERVAL = 200  # milliseconds
UNLIMITED = {"per_minute": 10_000_000, "per_day": 0}  # counted, but never reached


class Server:
    """kbase server: its ports, its folder, and its process."""

    def __init__(self, workspace, number):
        self.workspace = workspace
        self.name = f"kbase{number}"
        self.port, self.admin_port = free_port(), free_port()
        self.process = None

    def arguments(self):
        """Shared configuration file, and this server's own settings."""
        return ["--config", self.workspace.path("kbase.yaml"), "--set", f"data_dir={self.workspace.path(self.name)}",
                "--set", f"server.port={self.port}", "--set", f"admin.port={self.admin_port}"]

    def start(self):
        self.process = self.workspace.start_kbase(self.workspace.kbase, *self.arguments())

    def stop(self):
        self.process.terminate()
        if self.process.wait() != 0:
            self.workspace.fail(f"{self.name} exited with code {self.process.returncode}")

    def kill(self):
        self.process.kill()
        self.process.wait()

    def is_ready(self):
        return fetch(self.admin_port, "/readyz")[0] == 200

    def obstacles(self):
        return json.loads(fetch(self.admin_port, "/readyz")[1]).get("obstacles", [])


class Cluster(Workspace):
    """The whole cluster. start() returns when every server is ready; end() stops it."""

    def __init__(self, kbase, servers=3, synchronous=False, opensearch=None):
        super().__init__("cluster")
        self.kbase = kbase
        self.synchronous = synchronous
        self.opensearch = opensearch
        self.wipe_command = None
        self.primary = self.replica = self.redis = None
        self.servers = [Server(self, number) for number in range(servers)]
        self.front_port = free_port()
        self.url = f"http://127.0.0.1:{self.front_port}/api/v1"

    # ---- start

    def start_all(self):
        self.primary = Postgres(self)
        self.replica = Postgres(self, self.primary)
        if self.synchronous:
            self.primary.wait_for_replicas()
        self.redis = WatchedRedis(self)
        if self.opensearch and not self.opensearch.startswith("http"):
            self.opensearch = self.start_opensearch(self.opensearch)
        self.configure()
        for server in self.servers:
            server.start()
        self.start_haproxy()
        self.wait_until_ready()

    def settings(self):
        """Returns the configuration of all servers."""
        redis = {"plugin": "redis", "config": {"url": self.redis.url}}
        settings = {
            "instance": "kbase",
            # Servers, stores and clients share one machine: waiting for a CPU is not overload.
            "server": {"trusted_proxies": ["127.0.0.1/32"], "max_queue_time": "2s"},
            "storage": {"plugin": "postgres", "config": {
                "url": f"postgres://kbase@127.0.0.1:{self.primary.port},127.0.0.1:{self.replica.port}/kbase"}},
            "search": {"plugin": "native"},
            "rate_limit": {**redis, "secret": "the secret that is shared by all servers"},
            "cache": redis,
            "plans": {"public": UNLIMITED, "developer": UNLIMITED},
            "logging": {"level": "warning", "format": "json"},
        }
        if self.opensearch:
            settings["search"] = {"plugin": "opensearch", "config": {
                "url": self.opensearch, "index": self.index_prefix(), "replicas": 0}}
        return settings

    def configure(self):
        with open(self.path("kbase.yaml"), "w", encoding="utf-8") as file:
            json.dump(self.settings(), file, indent=2)  # JSON is also YAML

    def start_opensearch(self, script):
        folder = self.path("opensearch")
        self.wipe_command = [script, "wipe", folder]
        started = subprocess.run([script, "start", str(free_port()), folder], stdout=subprocess.PIPE, text=True, check=True)
        return next(line for line in started.stdout.splitlines() if line.startswith("URL=")).removeprefix("URL=")

    def index_prefix(self):
        return f"kbase-test-{os.getpid()}"

    def start_haproxy(self):
        servers = [f"  server {server.name} 127.0.0.1:{server.port}" for server in self.servers]
        checked_servers = [f"{line} check port {server.admin_port}" for line, server in zip(servers, self.servers)]
        with open(self.path("haproxy.cfg"), "w", encoding="ascii") as file:
            file.write(f"""\
global
  maxconn 4000
  stats socket {self.path("haproxy.sock")} mode 600 level admin

defaults
  mode http
  timeout connect 2s
  timeout client 30s
  timeout server 40s
  timeout http-keep-alive 60s
  http-reuse always
  # A stopping server refuses connections or closes one without a response; the request is then sent to another server.
  # Requests other than GET may have been executed already and are not repeated.
  option redispatch 1
  retries 3
  retry-on conn-failure empty-response

frontend front
  bind 127.0.0.1:{self.front_port}
  http-request set-header X-Forwarded-For %[src]
  http-request del-header Forwarded
  http-request disable-l7-retry if !METH_GET
  # If the store is down, no server is ready, but searches still work.
  use_backend unready if {{ nbsrv(kbase) eq 0 }}
  default_backend kbase

backend kbase
  balance roundrobin
  option httpchk GET /readyz
  http-check expect status 200
  default-server inter {CHECK_INTERVAL}ms fall 1 rise 1
{chr(10).join(checked_servers)}

backend unready
  balance roundrobin
{chr(10).join(servers)}
""")
        self.start([find_haproxy(), "-db", "-f", self.path("haproxy.cfg")], stdout=subprocess.DEVNULL)
        wait_for("haproxy", lambda: accepts(self.front_port))

    # ---- state

    def send_haproxy_command(self, command):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(5)
            connection.connect(self.path("haproxy.sock"))
            connection.sendall(command.encode() + b"\n")
            return b"".join(iter(lambda: connection.recv(65536), b"")).decode()

    def is_served_by(self, servers):
        """Whether haproxy sends requests to exactly these servers."""
        try:
            lines = self.send_haproxy_command("show stat").lstrip("# ").splitlines()
        except (FileNotFoundError, ConnectionRefusedError):  # haproxy is still starting
            return False
        up = {row["svname"] for row in csv.DictReader(lines)
              if row["pxname"] == "kbase" and row["status"] == "UP" and row["svname"] != "BACKEND"}
        return up == {server.name for server in servers}

    def wait_until_ready(self):
        for server in self.servers:
            wait_for(f"{server.name} to become ready", server.is_ready, READY_WITHIN)
        wait_for("haproxy to use every server", lambda: self.is_served_by(self.servers))

    def command(self, *arguments):
        """Command line of a kbase subcommand with the first server's configuration."""
        return [self.kbase, *arguments, *self.servers[0].arguments()]

    def run_command(self, *arguments):
        result = subprocess.run(self.command(*arguments), capture_output=True, text=True, check=False)
        if result.returncode != 0:
            sys.exit(f"kbase {arguments[0]} failed: {result.stderr}")
        return result.stdout

    def end_processes(self):
        super().end_processes()
        if self.wipe_command:
            subprocess.run(self.wipe_command, stdout=subprocess.DEVNULL, check=False)
        elif self.opensearch:
            request = urllib.request.Request(f"{self.opensearch}/{self.index_prefix()}-*", method="DELETE")
            urllib.request.urlopen(request).close()


def skip_unless_complete():
    packages = {"haproxy": find_haproxy() is not None, "redis-tools": has_redis(), "postgresql-15": has_postgres()}
    missing = [package for package, is_installed in packages.items() if not is_installed]
    if missing:
        print("SKIPPED: not installed:", ", ".join(missing))
        sys.exit(SKIPPED)


def exit_on_signals():
    """Exits on signals, so that all processes are stopped when a test is interrupted."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))


def describe(cluster):
    servers = "\n".join(f"  {server.name}: http://127.0.0.1:{server.port}/api/v1  pid {server.process.pid}\n"
                        f"    curl http://127.0.0.1:{server.admin_port}/readyz" for server in cluster.servers)
    redis, primary, replica = cluster.redis, cluster.primary, cluster.replica
    opensearch = f"\nOpenSearch\n  {cluster.opensearch}, indices {cluster.index_prefix()}-*\n" if cluster.opensearch else ""
    return f"""
address   {cluster.url}

  curl '{cluster.url}/search?q=search'

servers
{servers}

PostgreSQL, {"synchronous" if cluster.synchronous else "asynchronous"} replication
  primary:  127.0.0.1:{primary.port}  pid {primary.process.pid}
  replica:  127.0.0.1:{replica.port}  pid {replica.process.pid}
    psql -h 127.0.0.1 -p {primary.port} -U kbase kbase

Redis
  primary:  127.0.0.1:{redis.primary.port}  pid {redis.primary.process.pid}
  replica:  127.0.0.1:{redis.replica.port}  pid {redis.replica.process.pid}
  sentinels: {", ".join(map(str, redis.sentinels))}
{opensearch}
import content
  {shlex.join(cluster.command("import"))} SOURCE

inject a fault
  kill -TERM {cluster.servers[0].process.pid}    stops a server; no request fails
  kill -KILL {primary.process.pid}    kills the store: searches work, other requests get 503, until
    {replica.promotion_command()}
  kill -KILL {replica.process.pid}    {"commits block, so imports and views do too" if cluster.synchronous else "no request fails"}
  kill -KILL {redis.primary.process.pid}    each server counts requests alone until the replica takes over
  kill -KILL {redis.replica.process.pid}    no request fails; the same if one sentinel stops

Configuration and logs of the servers and of haproxy: {cluster.work}
Stop with Ctrl-C."""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kbase", required=True)
    parser.add_argument("--servers", type=int, default=3)
    parser.add_argument("--synchronous", action="store_true", help="a commit waits until the replica has it")
    parser.add_argument("--opensearch", default=os.environ.get("KBASE_TEST_OPENSEARCH_URL"), metavar="URL|SCRIPT")
    parser.add_argument("--sample", default=os.path.join(CHECKOUT, "docs"), metavar="SOURCE")
    options = parser.parse_args()
    skip_unless_complete()
    exit_on_signals()
    cluster = Cluster(options.kbase, options.servers, options.synchronous, options.opensearch)
    try:
        cluster.start_all()
        cluster.run_command("import", options.sample)
        print(describe(cluster), flush=True)
        signal.pause()
    except KeyboardInterrupt:
        pass
    finally:
        cluster.end()


if __name__ == "__main__":
    main()
