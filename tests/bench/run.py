#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares kbase with its peers, in one run on one machine, and prints a table.

Usage: run.py --kbase PROGRAM --tools DIR --data DIR [--runs N] [--items N] [--parts NAMES] [SECTION...]
Sections: import, memory, serve, edge, external, quality, search. The data folder contains
debian-packages.jsonl.gz, mixed-250k.jsonl.gz, queries-web.jsonl and judged collections in relevance/.
Results are medians. A ratio is the median of the ratios of alternating runs, so that clock drift of the machine
does not affect it.
"""
import argparse
import gzip
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse

import quality
from edge import Edge
from external import PARTS as EXTERNAL_PARTS, External
from search import PARTS, SearchBench
from serving import Server, load, serve_command


SECTIONS = ["import", "memory", "serve", "edge", "external", "quality", "search"]


def spaced(text):
    return text.translate({9: 32, 10: 32, 13: 32, 0: 32})


def write_rows(source, path):
    """Converts the items of a JSON Lines file to rows for plain_import."""
    with gzip.open(source, "rt", encoding="utf-8") as lines, open(path, "w", encoding="utf-8") as rows:
        for line in lines:
            item = json.loads(line)
            if item.get("type", "item") != "item":
                continue
            columns = (item["id"], item["title"], item["category"], item.get("content", ""),
                       " ".join(item.get("tags", [])))
            rows.write("\t".join(map(spaced, columns)) + "\n")


def write_importable(source, path):
    """Copies a JSON Lines file without the items whose ids stores reject (over 256 bytes)."""
    left_out = 0
    with gzip.open(source, "rb") as lines, gzip.open(path, "wb", compresslevel=1) as copy:
        for line in lines:
            if len(json.loads(line)["id"].encode()) <= 256:
                copy.write(line)
            else:
                left_out += 1
    return left_out


class Run:
    """Finished process: wall time in seconds, and maximum resident memory."""

    def __init__(self, command):
        start = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        errors = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        self.seconds = time.monotonic() - start
        self.peak_mib = usage.ru_maxrss / 1024
        if status != 0:
            sys.exit(f"{' '.join(command)} failed: {errors.decode(errors='replace').strip()[-500:]}")


class Bench:
    def __init__(self, options):
        self.options = options
        self.work = tempfile.mkdtemp(prefix="kbase-bench-")

    def data(self, name):
        return os.path.join(self.options.data, name)

    def tool(self, name):
        return os.path.join(self.options.tools, name)

    def fresh(self, name):
        path = os.path.join(self.work, name)
        shutil.rmtree(path, ignore_errors=True)
        return path

    def kbase(self, command, data_dir, *arguments):
        return [self.options.kbase, command, *arguments, "--set", f"data_dir={data_dir}"]

    def bench_import(self):
        """63,666 items through `kbase import`, compared with a plain C program that inserts the same rows."""
        source = self.data("debian-packages.jsonl.gz")
        rows = os.path.join(self.work, "rows.tsv")
        write_rows(source, rows)
        ours, peers, peaks = [], [], []
        for _ in range(self.options.runs):
            peers.append(Run([self.tool("plain_import"), rows, os.path.join(self.work, "plain.db")]).seconds)
            run = Run(self.kbase("import", self.fresh("debian"), source))
            ours.append(run.seconds)
            peaks.append(run.peak_mib)
        ratio = statistics.median(a / b for a, b in zip(ours, peers))
        print(f"import debian     kbase {statistics.median(ours):.2f} s   plain C {statistics.median(peers):.2f} s   "
              f"ratio {ratio:.2f}   peak {max(peaks):.0f} MiB")

    def bench_memory(self):
        """About 251,000 items imported as one batch. The next section uses the store."""
        source = os.path.join(self.work, "mixed.jsonl.gz")
        left_out = write_importable(self.data("mixed-250k.jsonl.gz"), source)
        run = Run(self.kbase("import", self.fresh("mixed"), source))
        print(f"import mixed      kbase {run.seconds:.1f} s   peak {run.peak_mib:.0f} MiB   "
              f"({left_out} items left out for their ids)")

    def bench_serve(self):
        """Server on the mixed store: start time, memory, and item reads at a steady rate."""
        store = os.path.join(self.work, "mixed")
        if not os.path.isdir(store):
            self.bench_memory()
        starts = [self.measure_start(store) for _ in range(self.options.runs)]
        print(f"serve mixed       listening after {statistics.median(starts) * 1000:.0f} ms (median of {len(starts)})")
        with self.start_server(store) as server:
            paths = self.item_paths()
            print(f"serve mixed       resident {server.memory_mib():.0f} MiB at rest")
            answers = load(self.tool("http_load"), server.port, paths, connections=16, rate=1000, seconds=20)
            for status, times in answers.items():
                print(f"item at 1,000/s   {status}: {times['count']}  p50 {times['p50_ms']:.3f} ms  "
                      f"p99 {times['p99_ms']:.3f} ms  max {times['max_ms']:.3f} ms")
            print(f"serve mixed       resident {server.memory_mib():.0f} MiB after it")

    def start_server(self, store):
        return Server(serve_command(self.options.kbase, store, "logging.level=error"))

    def measure_start(self, store):
        start = time.monotonic()
        server = self.start_server(store)
        seconds = time.monotonic() - start
        server.stop()
        return seconds

    def item_paths(self):
        """Writes the path of every 25th item, so that reads cover the whole store."""
        path = os.path.join(self.work, "paths")
        with gzip.open(self.data("mixed-250k.jsonl.gz"), "rt") as lines, open(path, "w") as paths:
            for number, line in enumerate(lines):
                item = json.loads(line) if number % 25 == 0 else {"type": "skipped"}
                if item.get("type", "item") == "item" and len(item["id"].encode()) <= 256:
                    paths.write(f"/api/v1/item/{urllib.parse.quote(item['id'], safe='')}\n")
        return path

    def bench_edge(self):
        """HTTP edge: see edge.py."""
        Edge(self.options.kbase, self.tool, self.work, self.options.runs,
             self.data("debian-packages.jsonl.gz")).run()

    def bench_external(self):
        """Upstream services: see external.py."""
        parts = self.options.parts.split(",") if self.options.parts else EXTERNAL_PARTS
        External(self.options.kbase, self.tool, self.work, self.options.runs,
                 self.data("debian-packages.jsonl.gz")).run(parts)

    def bench_quality(self):
        """Judged collections through HTTP: see quality.py."""
        work = self.fresh("quality")
        os.mkdir(work)
        quality.measure(self.options.kbase, self.data("relevance"), work)

    def bench_search(self):
        """Search engine alone and through HTTP: see search.py."""
        SearchBench(self.options.kbase, self.tool, self.fresh("search"), self.options, self.data).run()

    def run(self):
        sections = self.options.sections or SECTIONS
        try:
            for section in sections:
                getattr(self, f"bench_{section}")()
        finally:
            shutil.rmtree(self.work, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kbase", required=True)
    parser.add_argument("--tools", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--items", type=int, default=0, help="search: only the first N items; 0: all")
    parser.add_argument("--parts", default="", help="search or external: only these, separated by commas: " +
                        ", ".join((*PARTS, *EXTERNAL_PARTS)))
    parser.add_argument("sections", nargs="*", choices=[*SECTIONS, []])
    Bench(parser.parse_args()).run()


if __name__ == "__main__":
    main()
