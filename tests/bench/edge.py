# SPDX-License-Identifier: Apache-2.0
"""HTTP edge compared with a bare Pistache server: throughput, hostile requests, many connections and overload.

Server and load generator have one core each. Both servers run at the same time and are measured in turn, so
that clock drift of the machine does not affect a ratio. Results are medians of the runs.
"""
import json
import os
import socket
import statistics
import subprocess

from serving import Server, load, search_paths, serve_command, write_paths

SERVER_CORE, LOAD_CORE = 0, 1
ITEM, UNKNOWN = "/api/v1/item/edge", "/api/v1/nowhere"
QUIET = ("server.threads=1", "logging.level=warning")


def median(values):
    return statistics.median(values)


def read_status(connection):
    """Returns the status of the next response and reads its body; 0 if the connection ended."""
    text = b""
    while b"\r\n\r\n" not in text:
        data = connection.recv(65536)
        if not data:
            return 0
        text += data
    head, body = text.split(b"\r\n\r\n", 1)
    length = next((int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.startswith(b"Content-Length:")), 0)
    while len(body) < length:
        body += connection.recv(65536)
    return int(head.split()[1])


class Edge:
    def __init__(self, kbase, tool, work, runs, packages):
        self.kbase, self.tool, self.work, self.runs, self.packages = kbase, tool, work, runs, packages
        self.store = os.path.join(work, "edge")

    def run(self):
        self.import_item()
        with Server(serve_command(self.kbase, self.store, *QUIET), SERVER_CORE) as server:
            with Server([self.tool("hello_world"), "1"], SERVER_CORE) as hello:
                self.throughput(server, hello)
        self.throughput_logged()
        with Server(serve_command(self.kbase, self.store, *QUIET), SERVER_CORE) as server:
            self.slow_connections(server)
        self.hostile_requests()
        self.idle_memory()
        self.overload()

    # ------------------------------------------------------------------------------------------------ tools

    def import_item(self):
        """Imports one item whose response has a body of 1 KiB."""
        item = {"id": "edge", "title": "Edge", "category": "bench", "content": "k" * 823}
        path = os.path.join(self.work, "edge.jsonl")
        with open(path, "w", encoding="utf-8") as lines:
            lines.write(json.dumps(item) + "\n")
        subprocess.run([self.kbase, "import", path, "--set", f"data_dir={self.store}"], check=True, capture_output=True)

    def paths(self, *paths):
        return write_paths(os.path.join(self.work, f"paths-{abs(hash(paths))}"), paths)

    def load(self, server, paths, **options):
        return load(self.tool("http_load"), server.port, paths, LOAD_CORE, **options)

    @staticmethod
    def report(row, text):
        print(f"{'edge ' + row:<22}{text}", flush=True)

    # ----------------------------------------------------------------------------------------------- sections

    def throughput(self, server, hello):
        """Maximum rate over 32 connections: an item of 1 KiB and a 404, compared with Pistache's hello-world."""
        seconds = 3
        targets = {"hello": (hello, "/", 200), "item": (server, ITEM, 200), "404": (server, UNKNOWN, 404)}
        rates = {name: [] for name in targets}
        p99s = {name: [] for name in targets}
        for _ in range(self.runs):
            for name, (target, path, status) in targets.items():
                times = self.load(target, self.paths(path), seconds=seconds)[status]
                rates[name].append(times["count"] / seconds)
                p99s[name].append(times["p99_ms"])
        for name, minimum in (("item", 0.80), ("404", 0.95)):
            rate = median(a / b for a, b in zip(rates[name], rates["hello"]))
            p99 = median(a / b for a, b in zip(p99s[name], p99s["hello"]))
            self.report(name, f"kbase {median(rates[name]):,.0f}/s   hello {median(rates['hello']):,.0f}/s   ratio "
                           f"{rate:.2f} (at least {minimum})   p99 {median(p99s[name]):.2f} ms, {p99:.2f} times hello's")

    def throughput_logged(self):
        """Rate for the item when every request is written to the access log."""
        command = serve_command(self.kbase, self.store, "server.threads=1", "logging.format=json")
        log = os.path.join(self.work, "access.log")
        with Server(["sh", "-c", f'exec "$@" 2>"{log}"', "sh", *command], SERVER_CORE) as server:
            rates = [self.load(server, self.paths(ITEM), seconds=3)[200]["count"] / 3 for _ in range(self.runs)]
        os.remove(log)
        self.report("item, logged", f"kbase {median(rates):,.0f}/s with an access log")

    def slow_connections(self, server):
        """p99 of the item, alone and while 2,000 connections send one byte per second each."""
        alone, loaded = [], []
        for _ in range(self.runs):
            alone.append(self.load(server, self.paths(ITEM), seconds=3)[200]["p99_ms"])
            loaded.append(self.load(server, self.paths(ITEM), seconds=3, slow=2000)[200]["p99_ms"])
        ratio = median(b / a for a, b in zip(alone, loaded))
        self.report("2,000 slow", f"p99 {median(alone):.2f} ms alone, {median(loaded):.2f} ms under this load   "
                               f"ratio {ratio:.2f} (at most 2)")

    def hostile_requests(self):
        """CPU time by request size: linear up to the limit, then rejected."""
        chunk = b"1\r\nx\r\n"
        head = b"GET /api/v1/health HTTP/1.1\r\nHost: x\r\nX-Long: "
        chunked = b"POST /api/v1/nowhere HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
        kinds = (
            ("header", [8, 16, 31, 1024], 100, lambda kib: head + b"y" * (kib << 10) + b"\r\n\r\n"),
            ("slashes", [3, 6, 11, 100], 100, lambda kib: b"GET " + b"/" * (kib * 1000) + b" HTTP/1.1\r\nHost: x\r\n\r\n"),
            ("one-byte chunks", [1 << 12, 1 << 13, 1 << 14, (1 << 14) + 1], 1,
             lambda kib: chunked + chunk * (kib << 10) + b"0\r\n\r\n"),
        )
        settings = (*QUIET, "server.max_body_bytes=16MiB", "server.body_timeout=10m")
        with Server(serve_command(self.kbase, self.store, *settings), SERVER_CORE) as server:
            for name, sizes, times, request_of in kinds:
                costs_by_size = [self.hostile_cpu(server, request_of(size), times) for size in sizes]
                costs = ", ".join(f"{size:,}: {status} {milliseconds:.3f} ms"
                                  for size, (status, milliseconds) in zip(sizes, costs_by_size))
                self.report(name, f"{costs}   (thousands of characters or KiB, status, CPU)")

    @staticmethod
    def hostile_cpu(server, request, times):
        """Returns the status, and the milliseconds of CPU time that one such request costs."""
        status = 0
        before = server.cpu_seconds()
        for _ in range(times):
            with socket.create_connection(("127.0.0.1", int(server.port))) as connection:
                try:
                    connection.sendall(request)
                except OSError:
                    pass  # rejected before it was sent completely
                try:
                    status = read_status(connection)
                except OSError:
                    pass
        return status, (server.cpu_seconds() - before) / times * 1000

    def idle_memory(self):
        """Memory of 4,000 more connections that made one request each."""
        request = f"GET {ITEM} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
        kib_per_connection = []
        for _ in range(self.runs):
            with Server(serve_command(self.kbase, self.store, *QUIET), SERVER_CORE) as server:
                connections, memory = [], {}
                for count in (1000, 5000):
                    while len(connections) < count:
                        connection = socket.create_connection(("127.0.0.1", int(server.port)))
                        connection.sendall(request)
                        assert read_status(connection) == 200
                        connections.append(connection)
                    memory[count] = server.memory_mib("RssAnon")
                kib_per_connection.append((memory[5000] - memory[1000]) * 1024 / 4000)
                for connection in connections:
                    connection.close()
        self.report("idle connection", f"{median(kib_per_connection):.1f} KiB each (under 8)")

    def overload(self):
        """Searches at twice the maximum rate."""
        store = os.path.join(self.work, "debian")
        subprocess.run([self.kbase, "import", self.packages, "--set", f"data_dir={store}"], check=True,
                       capture_output=True)
        paths = self.paths(*search_paths(self.packages))
        best, served, refused = [], [], []
        with Server(serve_command(self.kbase, store, *QUIET), SERVER_CORE) as server:
            for _ in range(self.runs):
                best.append(self.load(server, paths, seconds=4, connections=16, warm_up=2)[200]["count"] / 4)
                answers = self.load(server, paths, seconds=4, connections=512, warm_up=1, rate=round(2 * best[-1]))
                served.append(answers[200])
                refused.append(answers.get(503, {"count": 0, "p50_ms": 0, "p99_ms": 0}))
        share = median(times["count"] / 4 / rate for times, rate in zip(served, best))
        self.report("2 x saturation", f"best {median(best):,.0f}/s, served {share:.2f} of it (at least 0.80), p99 "
                 f"{median(times['p99_ms'] for times in served):.0f} ms; 503: p50 "
                 f"{median(times['p50_ms'] for times in refused):.1f} ms, p99 "
                 f"{median(times['p99_ms'] for times in refused):.1f} ms (under 50)")
