# SPDX-License-Identifier: Apache-2.0
"""Search engine: alone, with growing data, and through HTTP. report.py compares it with other engines.

Items and queries are real content (mixed-250k.jsonl.gz, queries-web.jsonl). Times of the engine alone are
single-threaded; each query counts with its minimum over several passes, after warm-up passes. Pages have 20
hits.

Environment:
  KBASE_BENCH_GROWTH         maximum number of items of the growth curve (250000)
  KBASE_TEST_OPENSEARCH_URL  OpenSearch server that answers the same pages
"""
import os
import statistics
import subprocess

from search_engine import MODES, Build, Engine, summarize_us, web_queries, write_copies, write_items, write_rows
from search_http import SearchHttp
from search_live import SearchLive

PARTS = ["alone", "build", "operations", "growth", "http", "live"]
PAGES = {"top": "page alone", "count": "page and exact total"}
SIZES = (10_000, 100_000, 250_000, 1_000_000)
FILTER_FLOOR_NS = 20_000  # a filter's cost is computed only from slower queries


def report(row, text):
    print(f"{'search ' + row:<28}{text}", flush=True)


class SearchBench:
    def __init__(self, kbase, tool, work, options, data):
        self.kbase, self.tool, self.work, self.options, self.data = kbase, tool, work, options, data
        self.peer = tool("search_peer")
        self.passes = options.runs
        self.rows = os.path.join(work, "search-rows.tsv")
        self.queries = web_queries(data("queries-web.jsonl"))
        self.english = None

    def run(self):
        os.makedirs(self.work, exist_ok=True)
        parts = self.options.parts.split(",") if self.options.parts else PARTS
        for part in parts:
            getattr(self, part)()

    # ------------------------------------------------------------------------------------------------- engine alone

    def alone(self):
        classes = [(operation, mode) for operation in PAGES for mode in MODES]
        with self.english_engine() as engine:
            times = engine.times(classes, self.queries, self.passes)
            excerpts = engine.fastest([("snip", "or", words) for words in self.queries["or"]], self.passes)
        for (operation, mode), nanoseconds in times.items():
            self.report_times(MODES[mode], PAGES[operation], nanoseconds)
        self.report_times(MODES["or"], "excerpts of a page", [nanoseconds for _, nanoseconds in excerpts])
        hits = sum(count for count, _ in excerpts)
        report(MODES["or"], f"excerpts: {sum(time for _, time in excerpts) / 1e3 / max(1, hits):.2f} us a hit (under 6)")

    @staticmethod
    def report_times(name, what, nanoseconds):
        mean, median, most = summarize_us(nanoseconds)
        report(name, f"{what:<21} mean {mean:8.1f} us   p50 {median:8.1f} us   p99 {most:8.1f} us")

    def write_rows(self):
        if not os.path.exists(self.rows):
            write_rows(self.data("mixed-250k.jsonl.gz"), self.rows, self.options.items)

    def built(self, language, threads):
        self.write_rows()
        return Build(self.peer, self.rows, os.path.join(self.work, f"search-{language}-{threads}"), language, threads)

    def english_engine(self):
        self.english = self.english or self.built("en", 1)
        return Engine(self.peer, self.english.folder, "en")

    def build(self):
        """Build time, size and memory by language and threads, and opening time."""
        seconds = {}
        for language in ("en", "auto"):
            for threads in (1, 2):
                build = self.built(language, threads)
                seconds[language, threads] = build.seconds
                report(f"build {language}", f"{threads} thread{'s' * (threads > 1)}: {build.seconds:.1f} s   index "
                    f"{build.size_mb:.0f} MB, {build.text_mb:.0f} of it text   peak {build.peak_mib:.0f} MiB")
                if threads == 1:
                    self.memory(build)
                if (language, threads) == ("en", 1):
                    self.english = build
        report("build", f"2 threads {seconds['en', 1] / seconds['en', 2]:.2f} times faster at en (at least 1.7), "
            f"{seconds['auto', 1] / seconds['auto', 2]:.2f} at auto; auto takes "
            f"{seconds['auto', 1] / seconds['en', 1]:.2f} times as long as en")

    def memory(self, build):
        opening = build.opening_ms(self.peer, self.passes)
        requests = [(operation, mode, words) for operation in ("count", "top", "snip") for mode in MODES
                    for words in self.queries[mode]]
        with Engine(self.peer, build.folder, build.language) as engine:
            engine.run_requests(requests)
            report(f"memory {build.language}", f"opened in {opening:.1f} ms   after {len(requests):,} queries resident "
                f"{engine.memory_mib('VmRSS'):.0f} MiB (under 256), {engine.memory_mib('RssAnon'):.0f} of it anonymous")

    def operations(self):
        """Other sort orders and the category filter, compared with the ranked page with its total."""
        classes = [(operation, mode) for mode in MODES for operation in ("count", "date", "views", "category")]
        with self.english_engine() as engine:
            times = engine.times(classes, self.queries, self.passes)
        ranked = statistics.fmean(times["count", "or"])
        for mode, name in MODES.items():
            means = {each: statistics.fmean(times[each, mode]) for each in ("count", "date", "views")}
            report(name, f"with total, ranked {means['count'] / 1e3:.1f} us   by date {means['date'] / 1e3:.1f} us, "
                f"by views {means['views'] / 1e3:.1f} us: {means['date'] / ranked:.2f} and "
                f"{means['views'] / ranked:.2f} times the ranked any-word page (at most 1.5)")
        for mode, name in MODES.items():
            self.report_filter(name, self.queries[mode], times["count", mode], times["category", mode])

    @staticmethod
    def report_filter(name, queries, without, filtered):
        ratios = {words: b / a for words, a, b in zip(queries, without, filtered) if a >= FILTER_FLOOR_NS}
        if not ratios:
            report(f"{name}, filtered", "no query above 20 us")
            return
        report(f"{name}, filtered", f"one category in ten: mean {sum(filtered) / sum(without):.2f} of the same without; "
            f"{len(ratios)} queries above 20 us: mean {statistics.fmean(ratios.values()):.2f}, worst "
            f"{max(ratios.values()):.2f} (at most 1.2), {max(ratios, key=ratios.get)}")

    # ------------------------------------------------------------------------------------------------------- growth

    def growth(self):
        """Mean page time by number of items. Beyond the available items, they repeat with other ids."""
        self.write_rows()
        most = int(os.environ.get("KBASE_BENCH_GROWTH", "250000"))
        first = None
        for size in [each for each in SIZES if each <= most]:
            means = self.grown(size)
            first = first or means
            for operation, what in PAGES.items():
                text = "   ".join(f"{MODES[mode]} {means[operation, mode]:.1f} us "
                                  f"({means[operation, mode] / first[operation, mode]:.1f} times)"
                                  for mode in ("and", "or", "term"))
                limit = " (page alone: at most 8 at a million)" if operation == "top" and size == SIZES[-1] else ""
                report(f"{size:,}", f"{what:<21} {text}{limit}")

    def grown(self, size):
        """Returns microseconds by operation and mode."""
        rows, folder = os.path.join(self.work, "grown.tsv"), os.path.join(self.work, "grown")
        write_copies(self.rows, rows, size)
        build = Build(self.peer, rows, folder, "en", 2)
        os.remove(rows)
        report(f"{size:,}", f"opened in {build.opening_ms(self.peer, self.passes):.1f} ms (under 200 at a million)   "
            f"index {build.size_mb:.0f} MB in {build.segments} segments, built by 2 threads in {build.seconds:.1f} s")
        classes = [(operation, mode) for operation in PAGES for mode in ("and", "or", "term")]
        with Engine(self.peer, folder, "en") as engine:
            times = engine.times(classes, self.queries, self.passes)
        return {each: statistics.fmean(nanoseconds) / 1e3 for each, nanoseconds in times.items()}

    # ------------------------------------------------------------------------------------------------- with a server

    def store(self):
        """Returns a store with the items, and the source file."""
        source, store = os.path.join(self.work, "search.jsonl.gz"), os.path.join(self.work, "search-store")
        if not os.path.exists(source):
            write_items(self.data("mixed-250k.jsonl.gz"), source, self.options.items)
            subprocess.run([self.kbase, "import", source, "--set", f"data_dir={store}"], check=True,
                           capture_output=True)
        return store, source

    def http(self):
        """Searches through HTTP: see search_http.py."""
        SearchHttp(self.kbase, self.tool, self.work, self.passes, self.queries, report).run(*self.store())

    def live(self):
        """Searches during updates: see search_live.py."""
        SearchLive(self.kbase, self.tool, self.work, self.queries, report).run(*self.store())
