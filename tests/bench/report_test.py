# SPDX-License-Identifier: Apache-2.0
"""Tests of the benchmark report without measuring: queries, statistics, noise checks, and the written page."""
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree as ElementTree

import report_engines
import report_page
from report_measurements import Noise, cpu_seconds_of, spread_of, summary
from report_plot import draw_plot
from report_queries import CLASSES, Queries

ITEMS = [(f"{animal} number{chr(97 + number % 26)}", f"the {animal} eats {food} and sleeps between grey stones near water")
         for number, (animal, food) in enumerate((animal, food)
                                                 for animal in ("badger", "marmot", "weasel", "ferret", "stoat", "otter")
                                                 for food in ("berries", "beetles", "grasses", "mushrooms", "minnows"))]
ENGINE = {"version": "1", "classes": {}, "memory": {"peak_mib": 10.0, "anonymous_mib": 5.0},
          "build": {"seconds": 1.0, "peak_mib": 20.0, "disk_mb": 3.0}}


def times(milliseconds):
    return {"mean": milliseconds, "p50": milliseconds, "p95": 2 * milliseconds, "p99": 3 * milliseconds, "spread": 0.01,
            "total": 100, "groups": {"many": {**summary([milliseconds] * 20), "queries": 20}}}


def engine(milliseconds, lacks=()):
    classes = {f"{operation} {mode}": times(milliseconds) for operation, mode in report_engines.MEASURED if mode not in lacks}
    return {**ENGINE, "classes": classes}


def server(milliseconds, rate):
    return {"version": "1", "classes": {mode: times(milliseconds) for mode in CLASSES}, "rate": rate, "rate_spread": 0.02,
            "fill_seconds": 2.0, "disk_mb": 9.0, "peak_mib": 40.0}


def report(complaints=()):
    corpus = {"name": "debian", "title": "Package descriptions", "items": 30, "mean_bytes": 60.0, "source": "drawn",
              "queries": {mode: 5 for mode in CLASSES},
              "engines": {"kbase": engine(0.02), "tantivy": engine(0.01), "FTS5": engine(2.0, ["typo"])},
              "servers": {"kbase": server(0.3, 4000), "OpenSearch": server(1.5, 900)}}
    return {"date": "2026-01-02 03:04 UTC", "machine": "a processor", "passes": 3, "command": "./dev report", "minutes": 4.0,
            "corpora": [corpus], "quality": {"cacm": {"kbase": 0.4, "tantivy": 0.3}},
            "missing": {"Lucene": "no JDK is installed"}, "complaints": list(complaints),
            "noise": {"slowed": 1.02, "foreign": 0.01, "load": 0.5}}


def write_page(results):
    with tempfile.TemporaryDirectory() as folder:
        path = report_page.write(results, folder)
        plots = {name: ElementTree.parse(os.path.join(folder, name)) for name in os.listdir(folder) if name.endswith(".svg")}
        with open(path, encoding="utf-8") as page:
            return page.read(), plots


class GeneratedQueries(unittest.TestCase):
    def setUp(self):
        self.queries = Queries(ITEMS).by_class(10)

    def test_equal_items_give_equal_queries(self):
        self.assertEqual(Queries(ITEMS).by_class(10), self.queries)

    def test_another_seed_gives_other_queries(self):
        self.assertNotEqual(Queries(ITEMS, seed=2).by_class(10), self.queries)

    def test_frequent_words_are_not_used(self):
        for words in self.queries["term"] + self.queries["or"]:
            self.assertFalse({"the", "stones", "water"} & set(words.split()), words)

    def test_all_words_queries_match_an_item(self):
        for words in self.queries["and"]:
            self.assertTrue(any(set(words.split()) <= set(" ".join(item).split()) for item in ITEMS), words)

    def test_prefix_queries_match_a_word(self):
        for start in self.queries["prefix"]:
            self.assertTrue(any(word.startswith(start) for item in ITEMS for word in " ".join(item).split()), start)

    def test_no_item_contains_a_mistyped_word(self):
        self.assertTrue(self.queries["typo"])
        for word in self.queries["typo"]:
            self.assertFalse(any(word in " ".join(item).split() for item in ITEMS), word)


class Measurements(unittest.TestCase):
    def test_summary_has_percentiles(self):
        results = summary(list(range(100)))
        self.assertEqual((results["p50"], results["p95"], results["p99"]), (50, 95, 99))

    def test_spread_is_half_the_interquartile_range(self):
        self.assertAlmostEqual(spread_of([90, 95, 100, 105, 110]), 0.05)

    def test_one_pass_has_no_spread(self):
        self.assertEqual(spread_of([7]), 0)

    def test_a_slow_fixed_computation_is_reported(self):
        self.assertTrue(Noise.complaints({"slowed": 1.3, "foreign": 0.0, "refused": 0}))

    def test_load_of_other_programs_is_reported(self):
        self.assertTrue(Noise.complaints({"slowed": 1.0, "foreign": 0.5, "refused": 0}))

    def test_rejected_requests_are_reported(self):
        self.assertTrue(Noise.complaints({"slowed": 1.0, "foreign": 0.0, "refused": 3}))

    def test_measured_servers_do_not_count_as_other_programs(self):
        with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as busy:
            noise = Noise()
            noise.servers.add(busy.pid)
            before, own_before = noise.own_seconds(), time.process_time()
            while cpu_seconds_of(busy.pid) < 0.1:
                pass
            busy.kill()
            self.assertGreaterEqual(noise.own_seconds() - before - (time.process_time() - own_before), 0.09)
        self.assertEqual(cpu_seconds_of(busy.pid), 0)

    def test_queries_are_summarised_by_the_number_of_their_matches(self):
        groups = report_engines.summarise_groups([1.0] * 10 + [5.0] * 20, [1000] * 10 + [999] * 20)
        self.assertEqual([(name, group["queries"], group["p50"]) for name, group in groups.items()], [("many", 10, 1), ("few", 20, 5)])

    def test_a_small_group_has_no_percentiles(self):
        self.assertEqual(report_engines.summarise_groups([1.0] * 9, [1000] * 9), {})

    def test_a_quiet_machine_is_accepted(self):
        self.assertFalse(Noise.complaints({"slowed": 1.05, "foreign": 0.02, "refused": 0}))


class MissingEngine(unittest.TestCase):
    def test_a_missing_package_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(report_engines.Missing, "libxapian-dev is not installed"):
                report_engines.ENGINES["Xapian"](folder, folder)

    def test_a_failed_build_reports_its_error(self):
        with self.assertRaisesRegex(report_engines.Missing, "sh failed: error: no such thing"):
            report_engines.run(["sh", "-c", "echo building; echo error: no such thing; exit 1"])


class Page(unittest.TestCase):
    def test_lists_exactly_the_engines_that_are_better(self):
        page, _ = write_page(report())
        self.assertIn("| one word, a page of 20 and the exact total, 1,000 matches or more | tantivy 2.0 times | tantivy 2.0 times "
                      "| tantivy 2.0 times |\n", page)
        self.assertNotRegex(page, "(FTS5|OpenSearch) [0-9.]+ times")

    def test_compares_each_group_with_the_fastest_other_engine(self):
        page, _ = write_page(report())
        self.assertIn("| one word, the page alone | 1,000 matches or more | 20 | 2.00 | 2.00 | 2.00 |\n", page)
        self.assertNotIn("| fewer matches |", page)

    def test_lists_engines_that_were_not_measured(self):
        self.assertIn("## Engines that were not measured\n\n- Lucene: no JDK is installed\n", write_page(report())[0])

    def test_marks_unsupported_queries(self):
        self.assertEqual(write_page(report())[0].count("not supported"), 2)

    def test_states_that_the_machine_was_noisy(self):
        self.assertIn("too noisy to trust the results:** other programs ran.", write_page(report(["other programs ran"]))[0])
        self.assertNotIn("noisy", write_page(report())[0])

    def test_links_every_plot_that_it_writes(self):
        page, plots = write_page(report())
        self.assertEqual(set(re.findall(r"\]\((.*\.svg)\)", page)), set(plots))

    def test_a_plot_has_a_row_for_each_engine_and_class(self):
        root = ElementTree.fromstring(draw_plot("t", [("one <word>", {"kbase": times(1), "FTS5": times(30)}),
                                                   ("phrase", {"kbase": times(2)})]))
        self.assertEqual(len(root.findall(".//{*}circle")), 3)
        self.assertIn("prefers-color-scheme:dark", root.find("{*}style").text)


if __name__ == "__main__":
    unittest.main()
