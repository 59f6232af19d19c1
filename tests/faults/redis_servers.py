# SPDX-License-Identifier: Apache-2.0
"""Redis for fault tests: one server, and a primary with a replica under sentinels."""
import os
import shutil
import subprocess

from processes import accepts, free_port, wait_for


def has_redis():
    return find_server() is not None and shutil.which("redis-cli") is not None


def find_server():
    """Returns the path of the server. Debian's redis-check-rdb is the same binary, and its package starts no
    service."""
    return shutil.which("redis-server") or shutil.which("redis-check-rdb")


def redis_program(folder):
    """Returns a link named redis-server, because the binary selects its function by its name."""
    link = os.path.join(folder, "redis-server")
    if not os.path.islink(link):
        os.symlink(os.path.realpath(find_server()), link)
    return link


class Redis:
    """redis-server on a free port."""

    def __init__(self, workspace, *arguments):
        self.workspace = workspace
        self.port = free_port()
        self.folder = workspace.path(f"redis-{self.port}")
        os.mkdir(self.folder)
        self.process = None
        self.start(*arguments)

    def start(self, *arguments):
        self.process = self.workspace.start(
            [redis_program(self.workspace.work), *arguments, "--port", str(self.port), "--bind", "127.0.0.1", "--save", "",
             "--dir", self.folder, "--enable-debug-command", "local", "--repl-diskless-sync-delay", "0"],
            stdout=subprocess.DEVNULL)
        wait_for("Redis", lambda: accepts(self.port))

    def cli(self, *words):
        result = subprocess.run(["redis-cli", "-p", str(self.port), *map(str, words)], capture_output=True, text=True,
                              check=False)
        return result.stdout.strip()

    def kill(self):
        self.process.kill()
        self.process.wait()


class WatchedRedis:
    """Primary with a replica, and three sentinels with a quorum of two."""

    def __init__(self, workspace):
        self.primary = Redis(workspace)
        self.replica = Redis(workspace, "--replicaof", "127.0.0.1", str(self.primary.port))
        self.sentinels = [self.start_sentinel(workspace) for _ in range(3)]
        wait_for("the replica", lambda: "master_link_status:up" in self.replica.cli("info", "replication"))
        for port in self.sentinels:
            wait_for("the sentinels", lambda port=port: self.sees_all_servers(port))
        self.url = "redis+sentinel://" + ",".join(f"127.0.0.1:{port}" for port in self.sentinels) + "/rate-limiter"

    def start_sentinel(self, workspace):
        port = free_port()
        file = workspace.path(f"sentinel-{port}.conf")
        with open(file, "w", encoding="ascii") as text:
            text.write(f"port {port}\nbind 127.0.0.1\ndir {workspace.work}\n"
                       f"sentinel monitor rate-limiter 127.0.0.1 {self.primary.port} 2\n"
                       "sentinel down-after-milliseconds rate-limiter 500\nsentinel failover-timeout rate-limiter 3000\n")
        workspace.start([redis_program(workspace.work), file, "--sentinel"], stdout=subprocess.DEVNULL)
        wait_for("a sentinel", lambda: accepts(port))
        return port

    @staticmethod
    def sees_all_servers(port):
        reply = subprocess.run(["redis-cli", "-p", str(port), "sentinel", "master", "rate-limiter"], capture_output=True,
                              text=True, check=False).stdout.split()
        fields = dict(zip(reply[::2], reply[1::2]))
        return fields.get("num-slaves") == "1" and fields.get("num-other-sentinels") == "2"

    def kill(self):
        self.primary.kill()
        return lambda: None
