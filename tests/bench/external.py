# SPDX-License-Identifier: Apache-2.0
"""Upstream services: cached responses of a code-hosting service, a service that hangs, and streams of a language
model.

The server has one core; callers and services have another. One loop writes and reads the streams, so one clock
measures the delay of a piece, including the time of the loop itself. Results are medians of the runs.
"""
import asyncio
import json
import os
import ssl
import statistics
import subprocess
import urllib.request

from callers import HangingServiceTest
from serving import Server, load, serve_command, write_paths
from streams import Lane, Unread, percentile
from upstreams import CodeHost, ModelStream, listen

SERVER_CORE, LOAD_CORE = 0, 1
PARTS = ("cached", "frozen", "delay", "memory")
NO_LIMITS = ("plans.premium.per_minute=0", "plans.premium.per_day=0", "plans.premium.llm_tokens_per_day=0",
             "server.max_connections_per_address=4096")
QUIET = ("server.threads=1", "logging.level=warning")
USER, ITEM = "/api/v1/external/codehost/edge", "/api/v1/item/edge"
REPOSITORIES = 2
KIB = 1024
STREAMS, PIECES, GAP = 200, 50, 0.1  # per stream, and mean seconds between two pieces
SILENCE = 2  # seconds


def model_settings(url, *settings):
    return (*QUIET, *NO_LIMITS, "llm.plugin=openai", f"llm.config.base_url={url}", "llm.config.default_model=bench",
            *settings)


class External:
    load_core, no_limits = LOAD_CORE, NO_LIMITS

    def __init__(self, kbase, tool, work, runs, packages):
        self.kbase, self.tool, self.work, self.runs, self.packages = kbase, tool, work, runs, packages

    def run(self, parts):
        before = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {LOAD_CORE})
        try:
            for part in parts:
                getattr(self, part)()
        finally:
            os.sched_setaffinity(0, before)

    # ------------------------------------------------------------------------------------------------ tools

    @staticmethod
    def report(row, text):
        print(f"{'external ' + row:<38}{text}", flush=True)

    def path(self, name):
        return os.path.join(self.work, name)

    def serve(self, store, *settings):
        return Server(serve_command(self.kbase, store, *settings), SERVER_CORE, self.path("log"))

    def import_into(self, store, source):
        subprocess.run([self.kbase, "import", source, "--set", f"data_dir={store}"], check=True, capture_output=True)

    def fetch_body(self, server, path):
        with urllib.request.urlopen(f"http://127.0.0.1:{server.port}{path}") as answer:
            return answer.read()

    def create_key(self, store):
        """Creates a key, which completions need. model_settings() removes the limits of its plan."""
        created = subprocess.run([self.kbase, "keys", "create", "--set", f"data_dir={store}", "--name", "bench",
                               "--plan", "premium", "--json"], check=True, capture_output=True, text=True)
        return json.loads(created.stdout)["key"]

    def import_item(self, store, content_bytes):
        """Imports one item with `content_bytes` bytes of content."""
        path = self.path("external.jsonl")
        with open(path, "w", encoding="utf-8") as lines:
            item = {"id": "edge", "title": "Edge", "category": "bench", "content": "k" * content_bytes}
            lines.write(json.dumps(item) + "\n")
        self.import_into(store, path)

    # ------------------------------------------------------------------------------------------------ code host

    def cached(self):
        """Maximum rate over 32 connections: a cached response about a user, and an item with a body of the same
        size."""
        store = self.path("cached")
        self.import_item(store, 1)
        with CodeHost(REPOSITORIES) as host:
            settings = (*QUIET, "codehost.plugin=gitea", f"codehost.config.base_url=http://127.0.0.1:{host.port}",
                        "codehost.fresh_for=1h")
            with self.serve(store, *settings) as server:
                size, base = len(self.fetch_body(server, USER)), len(self.fetch_body(server, ITEM))
            self.import_item(store, 1 + size - base)
            with self.serve(store, *settings) as server:
                assert len(self.fetch_body(server, USER)) == len(self.fetch_body(server, ITEM)) == size
                rates = {USER: [], ITEM: []}
                for path in (USER, ITEM) * self.runs:
                    file = write_paths(self.path("cached-path"), (path,))
                    answers = load(self.tool("http_load"), server.port, file, LOAD_CORE, seconds=3)
                    assert list(answers) == [200], answers
                    rates[path].append(answers[200]["count"] / 3)
        ratio = statistics.median(a / b for a, b in zip(rates[USER], rates[ITEM]))
        self.report("cached", f"user {statistics.median(rates[USER]):,.0f}/s   item {statistics.median(rates[ITEM]):,.0f}/s"
                 f", bodies of {size:,} bytes   ratio {ratio:.2f} (at least 0.80)")

    # ------------------------------------------------------------------------------------------------ hanging service

    def frozen(self):
        """p99 of items and searches, alone and while 500 callers request what a hanging service does not answer."""
        store = self.path("debian")
        if not os.path.isdir(store):
            self.import_into(store, self.packages)
        HangingServiceTest(self, store).run()

    # ------------------------------------------------------------------------------------------------ streams

    def delay(self):
        """Time from the service's write to the client's read."""
        for tls in (False, True):
            for lanes, streams, pieces, gap in ((1, 100, 10, 0.005), (50, 4, 25, 0.05)):
                asyncio.run(self.measure_delay(tls, lanes, streams, pieces, gap))

    async def measure_delay(self, tls, lanes, streams, pieces, gap):
        url, settings, close = await self.start_model(tls)
        with self.serve_streams(url, 64, *settings) as server:
            await self.lane(Lane, server).run(3, 5, gap)  # starts threads and loads code
            all_lanes = [self.lane(Lane, server, number) for number in range(lanes)]
            await asyncio.gather(*(lane.run(streams, pieces, gap) for lane in all_lanes))
        close()
        firsts = [delay for lane in all_lanes for delay in lane.firsts]
        followers = [delay for lane in all_lanes for delay in lane.followers]
        self.report(f"delay, {'https' if tls else 'http'}, {lanes}", "   ".join(
            f"{name} {len(delays):,}: p50 {percentile(delays, 0.5) * 1e3:.2f} ms, p99 "
            f"{percentile(delays, 0.99) * 1e3:.2f} ms, max {max(delays) * 1e3:.2f} ms"
            for name, delays in (("first pieces", firsts), ("later pieces", followers))) + "   (at most 5 ms)")

    def memory(self):
        """Memory of 200 streams, including their threads."""
        for tls, wanted in ((False, 64), (True, 128)):
            asyncio.run(self.measure_memory("https" if tls else "http", tls, wanted))

    async def measure_memory(self, name, tls, wanted):
        url, settings, close = await self.start_model(tls)
        steady, slow = [], []
        for _ in range(self.runs):
            with self.serve_streams(url, 1, *settings) as server:
                await self.lane(Lane, server).run(3, 5, 0.001)
                base = self.kib(server)
            with self.serve_streams(url, STREAMS, *settings) as server:
                steady.append(await self.measure_steady(server))
            with self.serve_streams(url, STREAMS, *settings) as server:
                slow.append(await self.measure_slow(server))
            for results in (steady[-1], slow[-1]):
                results["kib"] = (results["kib"] - base) / (STREAMS - 1)
        close()

        def median_of(runs, figure):
            return statistics.median(run[figure] for run in runs)

        self.report(f"memory, {name}", f"{median_of(steady, 'kib'):.1f} KiB per stream of {STREAMS} that are read, "
                 f"{median_of(slow, 'kib'):.1f} KiB per stream that is not read (under {wanted})")
        self.report(f"CPU, {name}", f"{median_of(steady, 'piece') * 1e6:.0f} us per piece at {STREAMS / GAP:,.0f} a second; "
                 f"{median_of(steady, 'silent'):.1%} of a core for {STREAMS} idle streams")

    async def measure_steady(self, server):
        lanes = [self.lane(Lane, server, number) for number in range(STREAMS)]
        await asyncio.gather(*(lane.open() for lane in lanes))
        began = server.cpu_seconds()
        await asyncio.sleep(SILENCE)
        after_silence = server.cpu_seconds()
        await asyncio.gather(*(lane.write_pieces(PIECES, GAP) for lane in lanes))
        results = {"silent": (after_silence - began) / SILENCE, "piece": (server.cpu_seconds() - after_silence) / (PIECES * STREAMS),
                   "kib": self.kib(server)}
        for lane in lanes:
            lane.close()
        return results

    async def measure_slow(self, server):
        lanes = [self.lane(Unread, server, number) for number in range(STREAMS)]
        await asyncio.gather(*(lane.flood() for lane in lanes))
        results = {"kib": self.kib(server)}
        for lane in lanes:
            lane.close()
        return results

    def serve_streams(self, url, count, *settings):
        return self.serve(self.empty_store(), *model_settings(url, f"llm.max_concurrent={count}", *settings))

    @staticmethod
    def kib(server):
        return server.memory_mib("RssAnon") * KIB

    def lane(self, kind, server, number=0):
        return kind(number, (int(server.port), self.key), self.waiting)

    # ------------------------------------------------------------------------------------------------ services

    def empty_store(self):
        store = self.path("external")
        if not os.path.isdir(store):
            self.import_item(store, 10)
            self.key = self.create_key(store)
        return store

    async def start_model(self, tls):
        """Starts a language model. Returns it, the settings to use it, and the function that stops it."""
        self.waiting = {}

        def on_stream(number, stream):
            self.waiting.pop(number).set_result(stream)

        context = self.make_tls() if tls else None
        server, port = await listen(lambda: ModelStream(on_stream), context)
        settings = (f"upstream.ca_file={self.path('service.crt')}",) if tls else ()
        return f"{'https' if tls else 'http'}://127.0.0.1:{port}/v1", settings, server.close

    def make_tls(self):
        """TLS context of a service, with a self-signed certificate."""
        if not os.path.exists(self.path("service.crt")):
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                            "-nodes", "-days", "2", "-subj", "/CN=bench", "-addext", "subjectAltName=IP:127.0.0.1",
                            "-keyout", self.path("service.key"), "-out", self.path("service.crt")],
                           check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.path("service.crt"), self.path("service.key"))
        return context
