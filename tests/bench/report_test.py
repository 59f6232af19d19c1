# SPDX-License-Identifier: Apache-2.0
"""Tests of the benchmark report without measuring: queries, statistics, refusals, and the written page."""
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
from report_measurements import Noise, seconds_of, spread_of, summary
from report_plot import ranges
from report_queries import CLASSES, Queries

ITEMS = [(f"{animal} number{chr(97 + number % 26)}", f"the {animal} eats {food} and sleeps beside grey stones near water")
         for number, (animal, food) in enumerate((animal, food)
                                                 for animal in ("badger", "marmot", "weasel", "ferret", "stoat", "otter")
                                                 for food in ("berries", "beetles", "grasses", "mushrooms", "minnows"))]
ENGINE = {"version": "1", "classes": {}, "memory": {"peak_mib": 10.0, "anonymous_mib": 5.0},
          "build": {"seconds": 1.0, "peak_mib": 20.0, "disk_mb": 3.0}}


def times(milliseconds):
    return {"mean": milliseconds, "p50": milliseconds, "p95": 2 * milliseconds, "p99": 3 * milliseconds, "spread": 0.01,
            "total": 100}


def engine(milliseconds, lacks=()):
    classes = {f"{operation} {mode}": times(milliseconds) for operation, mode in report_engines.ASKED if mode not in lacks}
    return {**ENGINE, "classes": classes}


def server(milliseconds, rate):
    return {"version": "1", "classes": {mode: times(milliseconds) for mode in CLASSES}, "rate": rate, "rate_spread": 0.02,
            "filled_in": 2.0, "disk_mb": 9.0, "peak_mib": 40.0}


def report(complaints=()):
    corpus = {"name": "debian", "title": "Package descriptions", "items": 30, "mean_bytes": 60.0, "source": "drawn",
              "queries": {mode: 5 for mode in CLASSES},
              "engines": {"kbase": engine(0.02), "tantivy": engine(0.01), "FTS5": engine(2.0, ["typo"])},
              "servers": {"kbase": server(0.3, 4000), "OpenSearch": server(1.5, 900)}}
    return {"date": "2026-01-02 03:04 UTC", "machine": "a processor", "passes": 3, "command": "./dev report", "minutes": 4.0,
            "corpora": [corpus], "quality": {"cacm": {"kbase": 0.4, "tantivy": 0.3}},
            "missing": {"Lucene": "no JDK is installed"}, "complaints": list(complaints),
            "noise": {"slowed": 1.02, "foreign": 0.01, "load": 0.5}}


def written(figures):
    with tempfile.TemporaryDirectory() as folder:
        path = report_page.write(figures, folder)
        plots = {name: ElementTree.parse(os.path.join(folder, name)) for name in os.listdir(folder) if name.endswith(".svg")}
        with open(path, encoding="utf-8") as page:
            return page.read(), plots


class QueriesOfItems(unittest.TestCase):
    def setUp(self):
        self.queries = Queries(ITEMS).by_class(10)

    def test_are_the_same_for_the_same_items(self):
        self.assertEqual(Queries(ITEMS).by_class(10), self.queries)

    def test_differ_with_the_seed(self):
        self.assertNotEqual(Queries(ITEMS, seed=2).by_class(10), self.queries)

    def test_are_no_words_of_most_items(self):
        for words in self.queries["term"] + self.queries["or"]:
            self.assertFalse({"the", "stones", "water"} & set(words.split()), words)

    def test_have_all_their_words_in_one_item(self):
        for words in self.queries["and"]:
            self.assertTrue(any(set(words.split()) <= set(" ".join(item).split()) for item in ITEMS), words)

    def test_begin_words_that_are_there(self):
        for start in self.queries["prefix"]:
            self.assertTrue(any(word.startswith(start) for item in ITEMS for word in " ".join(item).split()), start)

    def test_are_mistyped_as_no_item_has_them(self):
        self.assertTrue(self.queries["typo"])
        for word in self.queries["typo"]:
            self.assertFalse(any(word in " ".join(item).split() for item in ITEMS), word)


class Figures(unittest.TestCase):
    def test_are_percentiles_of_the_queries(self):
        figures = summary(list(range(100)))
        self.assertEqual((figures["p50"], figures["p95"], figures["p99"]), (50, 95, 99))

    def test_spread_by_half_the_distance_of_the_quartiles(self):
        self.assertAlmostEqual(spread_of([90, 95, 100, 105, 110]), 0.05)

    def test_have_no_spread_where_there_was_one_pass(self):
        self.assertEqual(spread_of([7]), 0)

    def test_are_refused_where_a_fixed_piece_of_work_was_slowed(self):
        self.assertTrue(Noise.complaints({"slowed": 1.3, "foreign": 0.0, "refused": 0}))

    def test_are_refused_where_others_worked(self):
        self.assertTrue(Noise.complaints({"slowed": 1.0, "foreign": 0.5, "refused": 0}))

    def test_are_refused_where_a_server_had_too_much_to_do(self):
        self.assertTrue(Noise.complaints({"slowed": 1.0, "foreign": 0.0, "refused": 3}))

    def test_leave_the_work_of_measured_servers_out_of_that_of_others(self):
        with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as busy:
            noise = Noise()
            noise.servers.add(busy.pid)
            before, own = noise.own_seconds(), time.process_time()
            while seconds_of(busy.pid) < 0.1:
                pass
            busy.kill()
            self.assertGreaterEqual(noise.own_seconds() - before - (time.process_time() - own), 0.09)
        self.assertEqual(seconds_of(busy.pid), 0)

    def test_are_taken_from_a_quiet_machine(self):
        self.assertFalse(Noise.complaints({"slowed": 1.05, "foreign": 0.02, "refused": 0}))


class AnEngineThatCannotBeHad(unittest.TestCase):
    def test_is_told_with_the_reason(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(report_engines.Missing, "libxapian-dev is not installed"):
                report_engines.ENGINES["Xapian"](folder, folder)

    def test_is_told_by_the_error_of_its_build(self):
        with self.assertRaisesRegex(report_engines.Missing, "sh failed: error: no such thing"):
            report_engines.run(["sh", "-c", "echo building; echo error: no such thing; exit 1"])


class ThePage(unittest.TestCase):
    def test_says_where_others_are_ahead_and_nowhere_else(self):
        page, _ = written(report())
        self.assertIn("| one word, a page of 20 and the exact total | tantivy 2.0 times | tantivy 2.0 times |\n", page)
        self.assertNotRegex(page, "(FTS5|OpenSearch) [0-9.]+ times")

    def test_says_what_was_not_measured(self):
        self.assertIn("## Not measured here\n\n- Lucene: no JDK is installed\n", written(report())[0])

    def test_says_what_an_engine_does_not_offer(self):
        self.assertEqual(written(report())[0].count("does not offer it"), 1)

    def test_says_that_the_machine_was_noisy(self):
        self.assertIn("too noisy to believe the figures:** others worked.", written(report(["others worked"]))[0])
        self.assertNotIn("noisy", written(report())[0])

    def test_shows_the_plots_that_are_beside_it(self):
        page, plots = written(report())
        self.assertEqual(set(re.findall(r"\]\((.*\.svg)\)", page)), set(plots))

    def test_has_a_plot_with_a_row_for_each_engine_and_class(self):
        root = ElementTree.fromstring(ranges("t", [("one <word>", {"kbase": times(1), "FTS5": times(30)}),
                                                   ("phrase", {"kbase": times(2)})]))
        self.assertEqual(len(root.findall(".//{*}circle")), 3)
        self.assertIn("prefers-color-scheme:dark", root.find("{*}style").text)


if __name__ == "__main__":
    unittest.main()
