#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares kbase with other search engines in one run on this machine, and writes a page with plots.

Usage: report.py --kbase PROGRAM --tools DIR --packages ITEMS.jsonl.gz --out FOLDER [--work DIR] [--data DIR]
                 [--items N] [--queries N] [--passes N] [--anyway]
ITEMS are package descriptions. If --data names a folder of test content (see run.py), the items come from
there, and a second corpus with the queries of a web log and judged relevance are measured too. The page lists
engines that cannot be built here with the reason. If other programs use the machine, nothing is written and the
exit code is 1; with --anyway the page is written and states this.
"""
import argparse
import json
import os
import shlex
import sys
import tempfile
import time

import report_engines
import report_page
import report_quality
import report_servers
from report_measurements import Noise
from report_queries import CLASSES, Queries
from search_engine import items_of, web_queries, write_items, write_rows

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from machine import machine, now  # noqa: E402

ENGINE_PASSES_PER_SERVER_PASS = 2


def log_progress(text):
    print(f"report: {text}", file=sys.stderr, flush=True)


class Corpus:
    """Items and the queries for them."""

    def __init__(self, name, title, source, options, folder):
        self.name, self.title = name, title
        self.items, self.rows = os.path.join(folder, f"{name}.jsonl.gz"), os.path.join(folder, f"{name}.tsv")
        write_items(source, self.items, options.items)
        write_rows(self.items, self.rows, 0)
        texts = [(item["title"], item.get("content") or "") for item in items_of(self.items, 0)]
        if len(texts) < 100:
            sys.exit(f"report: {source} has {len(texts)} items; at least 100 are needed")
        self.count = len(texts)
        self.mean_bytes = os.path.getsize(self.rows) / self.count
        self.queries = Queries(texts).by_class(options.queries)
        self.source = "generated from the items by fixed rules"

    def use_web_queries(self, log, most):
        """Replaces generated queries with real ones if the log has the class. Excludes single letters, which kbase
        does not accept as queries."""
        for mode, queries in web_queries(log).items():
            self.queries[mode] = [words for words in queries if len(words) > 1][:most]
        self.source = "words and phrases from a web log, the others generated from the items by fixed rules"

    def describe(self):
        return {"name": self.name, "title": self.title, "items": self.count, "mean_bytes": self.mean_bytes,
                "source": self.source, "queries": {mode: len(self.queries[mode]) for mode in CLASSES}}


class Report:
    def __init__(self, options):
        self.options = options
        self.noise = Noise()
        self.missing = {}

    def corpora(self, folder):
        data = self.options.data
        packages = os.path.join(data, "debian-packages.jsonl.gz") if data else self.options.packages
        yield Corpus("debian", "Package descriptions", packages, self.options, folder)
        if data:
            mixed = Corpus("mixed", "Mixed knowledge", os.path.join(data, "mixed-250k.jsonl.gz"), self.options, folder)
            mixed.use_web_queries(os.path.join(data, "queries-web.jsonl"), self.options.queries)
            yield mixed

    def measure(self, corpus, engines, folder):
        log_progress(f"{corpus.title}: {corpus.count:,} items")
        passes = self.options.passes
        libraries = report_engines.measure(engines, corpus.rows, folder, corpus.queries, passes, self.noise, log_progress)
        servers, missing = report_servers.servers(self.options.kbase, folder)
        self.missing.update(missing)
        served, failed = report_servers.measure(servers, corpus.items, folder, os.path.join(self.options.tools, "http_load"),
                                      corpus.queries, max(1, passes // ENGINE_PASSES_PER_SERVER_PASS), self.noise, log_progress)
        self.missing.update({f"{name} with {corpus.title.lower()}": reason for name, reason in failed.items()})
        return {**corpus.describe(), "engines": libraries, "servers": served}

    def run(self, folder):
        began = time.monotonic()
        report = {"date": now(), "machine": machine(), "passes": self.options.passes, "command": self.options.command,
                "quality": {}}
        engines, self.missing = report_engines.programs(self.options.tools, self.options.work, log_progress)
        report["corpora"] = [self.measure(corpus, engines, folder) for corpus in self.corpora(folder)]
        if self.options.data:
            relevance_folder = os.path.join(self.options.data, "relevance")
            report["quality"] = report_quality.measure(self.options.kbase, engines, relevance_folder, folder, log_progress)
        results = self.noise.results()
        return {**report, "missing": self.missing, "noise": results, "complaints": Noise.complaints(results),
                "minutes": (time.monotonic() - began) / 60}


def measure(options, results):
    """Measures, and writes the results to a file. Exits if the machine was too noisy."""
    with tempfile.TemporaryDirectory(prefix="kbase-report-") as folder:
        report = Report(options).run(folder)
    with open(results, "w", encoding="utf-8") as file:
        json.dump(report, file, indent=1)
    if report["complaints"] and not options.anyway:
        for complaint in report["complaints"]:
            log_progress(complaint)
        sys.exit("report: this machine is too noisy; no page was written; retry when it is idle, or write these results with --last")
    return report


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kbase", required=True)
    parser.add_argument("--tools", required=True)
    parser.add_argument("--packages", help="items to use without --data")
    parser.add_argument("--out", required=True, help="folder for the page and its plots")
    parser.add_argument("--work", required=True, help="folder in which peers are built and results are stored")
    parser.add_argument("--data", help="folder of test content")
    parser.add_argument("--items", type=int, default=0, help="only the first N of each corpus; 0: all")
    parser.add_argument("--queries", type=int, default=200, help="queries per class")
    parser.add_argument("--passes", type=int, default=7)
    parser.add_argument("--anyway", action="store_true", help="write the report even if the machine was too noisy, with a note")
    parser.add_argument("--last", action="store_true", help="measure nothing; write the results of the last run, even if it was too noisy")
    parser.add_argument("--command", default=shlex.join(sys.argv), help="command to state on the page")
    options = parser.parse_args()
    options.work = os.path.abspath(options.work)  # peers are built in this folder
    os.makedirs(options.work, exist_ok=True)
    results = os.path.join(options.work, "report.json")
    if options.last:
        with open(results, encoding="utf-8") as file:
            report = json.load(file)
    else:
        report = measure(options, results)
    log_progress(f"wrote {report_page.write(report, options.out)}")


if __name__ == "__main__":
    main()
