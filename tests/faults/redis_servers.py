# SPDX-License-Identifier: Apache-2.0
"""Redis for fault tests: one server, and a primary with a replica under sentinels."""
import os
import shutil
import subprocess

from processes import accepts, free_port, wait_for


def has_redis():
    return found() is not None and shutil.which("redis-cli") is not None


def found():
    """Returns the path of the server. Debian's redis-check-rdb is the same binary, and its package starts no
    service."""
    return shutil.which("redis-server") or shutil.which("redis-check-rdb")


def redis_program(folder):
    """Returns a link named redis-server, because the binary selects its function by its name."""
    link = os.path.join(folder, "redis-server")
    if not os.path.islink(link):
        os.symlink(os.path.realpath(found()), link)
    return link


class Redis:
    """redis-server on a free port."""

    def __init__(self, place, *arguments):
        self.place = place
        self.port = free_port()
        self.folder = place.path(f"redis-{self.port}")
        os.mkdir(self.folder)
        self.process = None
        self.start(*arguments)

    def start(self, *arguments):
        self.process = self.place.start(
            [redis_program(self.place.work), *arguments, "--port", str(self.port), "--bind", "127.0.0.1", "--save", "",
             "--dir", self.folder, "--enable-debug-command", "local", "--repl-diskless-sync-delay", "0"],
            stdout=subprocess.DEVNULL)
        wait_for("Redis", lambda: accepts(self.port))

    def cli(self, *words):
        done = subprocess.run(["redis-cli", "-p", str(self.port), *map(str, words)], capture_output=True, text=True,
                              check=False)
        return done.stdout.strip()

    def kill(self):
        self.process.kill()
        self.process.wait()


class WatchedRedis:
    """Primary with a replica, and three sentinels with a quorum of two."""

    def __init__(self, place):
        self.primary = Redis(place)
        self.replica = Redis(place, "--replicaof", "127.0.0.1", str(self.primary.port))
        self.sentinels = [self.sentinel(place) for _ in range(3)]
        wait_for("the replica", lambda: "master_link_status:up" in self.replica.cli("info", "replication"))
        for port in self.sentinels:
            wait_for("the sentinels", lambda port=port: self.knows_all(port))
        self.url = "redis+sentinel://" + ",".join(f"127.0.0.1:{port}" for port in self.sentinels) + "/ledger"

    def sentinel(self, place):
        port = free_port()
        file = place.path(f"sentinel-{port}.conf")
        with open(file, "w", encoding="ascii") as text:
            text.write(f"port {port}\nbind 127.0.0.1\ndir {place.work}\n"
                       f"sentinel monitor ledger 127.0.0.1 {self.primary.port} 2\n"
                       "sentinel down-after-milliseconds ledger 500\nsentinel failover-timeout ledger 3000\n")
        place.start([redis_program(place.work), file, "--sentinel"], stdout=subprocess.DEVNULL)
        wait_for("a sentinel", lambda: accepts(port))
        return port

    @staticmethod
    def knows_all(port):
        told = subprocess.run(["redis-cli", "-p", str(port), "sentinel", "master", "rate_limit"], capture_output=True,
                              text=True, check=False).stdout.split()
        facts = dict(zip(told[::2], told[1::2]))
        return facts.get("num-slaves") == "1" and facts.get("num-other-sentinels") == "2"

    def kill(self):
        self.primary.kill()
        return lambda: None
