# SPDX-License-Identifier: Apache-2.0
"""Searches through HTTP: requests per second on one core, where the time goes, and the latency of one client,
compared with OpenSearch. Server and load generator have one core each."""
import os
import statistics
import urllib.parse

import opensearch
from search_engine import MODES, Engine
from serving import Server, load, serve_command, write_paths

SERVER_CORE, LOAD_CORE = 0, 1
CONNECTIONS = 16
WANTED_RATE, WANTED_P99_MS = 2500, 5
QUIET = ("server.threads=1", "logging.level=warning")


def search_path(mode, words):
    text = {"and": words, "or": words.replace(" ", " OR "), "phrase": f'"{words}"'}[mode]
    return "/api/v1/search?" + urllib.parse.urlencode({"q": text})


def only_ok(answers):
    """Returns the responses with status 200. Exits if there are others, which would cost less than the measured
    work."""
    others = {status: times["count"] for status, times in answers.items() if status != 200}
    if others:
        print(f"unexpected statuses: {others}", flush=True)
    return answers[200]


class SearchHttp:
    def __init__(self, kbase, tool, work, runs, queries, report):
        self.kbase, self.tool, self.work, self.runs, self.queries, self.report = kbase, tool, work, runs, queries, report

    def run(self, store, items):
        with Server(serve_command(self.kbase, store, *QUIET), SERVER_CORE) as server:
            rate = self.saturation(server)
            self.steady(server, 0.8 * rate)
            self.steady(server, WANTED_RATE)
            self.stages(store, rate)
            self.one_connection(server, items)

    def paths(self, mode):
        return [search_path(mode, words) for words in self.queries[mode]]

    def load(self, port, paths, **options):
        file = write_paths(os.path.join(self.work, "search-paths"), paths)
        return only_ok(load(self.tool("http_load"), port, file, LOAD_CORE, **options))

    def saturation(self, server):
        """Maximum rate of the all-words queries, most of which fall back to any word."""
        seconds = 5
        rates = [self.load(server.port, self.paths("and"), seconds=seconds, warm_up=2,
                           connections=CONNECTIONS)["count"] / seconds for _ in range(self.runs)]
        rate = statistics.median(rates)
        self.report("all words, HTTP", f"{rate:,.0f}/s on one core (at least {WANTED_RATE:,})")
        return rate

    def steady(self, server, rate):
        runs = [self.load(server.port, self.paths("and"), seconds=5, warm_up=1, connections=CONNECTIONS,
                          rate=round(rate)) for _ in range(self.runs)]
        p50, p99 = (statistics.median(times[figure] for times in runs) for figure in ("p50_ms", "p99_ms"))
        self.report("all words, HTTP", f"at {rate:,.0f}/s p50 {p50:.2f} ms, p99 {p99:.2f} ms (under {WANTED_P99_MS})")

    def stages(self, store, rate):
        """CPU time of a request: the engine's part, and the rest."""
        classes = (("count", "rule"), ("snip", "rule"))
        with Engine(self.tool("search_peer"), os.path.join(store, "index"), "auto") as engine:
            times = engine.times(classes, {"rule": self.queries["and"]}, self.runs)
        whole = 1e6 / rate
        find, show = (statistics.fmean(times[each]) / 1e3 for each in classes)
        rest = whole - find - show
        self.report("all words, HTTP", f"{whole:.0f} us per request: search {find:.0f} ({find / whole:.0%}), texts and "
                 f"excerpts {show:.0f} ({show / whole:.0%}), HTTP, limits, JSON {rest:.0f} ({rest / whole:.0%})")

    def one_connection(self, server, items):
        """Latency of one client for a page, and for the same page from OpenSearch, measured in turn."""
        url = os.environ.get("KBASE_TEST_OPENSEARCH_URL")
        peer = opensearch.Peer(url) if url else None
        if peer:
            self.report("opensearch", f"{peer.version}, {peer.fill(items):,} items indexed, merged to one segment")
        for mode in ("and", "or", "phrase"):
            self.one_mode(mode, server, peer)
        if peer:
            peer.clear()

    def one_mode(self, mode, server, peer):
        paths = self.paths(mode)
        pages = [peer.page_paths(mode, words) for words in self.queries[mode]] if peer else []
        ours, theirs = [], []
        for _ in range(self.runs):
            ours.append(self.page_ms(server.port, [[path] for path in paths]))
            if peer:
                theirs.append(self.page_ms(peer.port, pages))
        text = f"one connection, mean: kbase {statistics.median(ours):.3f} ms"
        if peer:
            ratio = statistics.median(a / b for a, b in zip(ours, theirs))
            text += f", opensearch {statistics.median(theirs):.3f} ms, ratio {ratio:.2f} (at most 0.20)"
        self.report(f"{MODES[mode]}, HTTP", text)

    def page_ms(self, port, pages):
        """Returns the mean time of pages that consist of one or more sequential requests."""
        paths = [path for page in pages for path in page]
        return self.load(port, paths, seconds=4, warm_up=3, connections=1)["mean_ms"] * len(paths) / len(pages)
