#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the monitoring files with a running kbase: every exported metric is documented with its kind and
labels, every documented metric exists, and dashboard and alerts use only these.

    metrics_test.py PROGRAM
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from urllib.error import HTTPError
from urllib.request import Request, urlopen

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/openapi"))
from stand_ins import StandIns  # noqa: E402

PAGE = TOP / "docs/operations/monitoring.md"
ALERTS = TOP / "config/monitoring/alerts.yml"
DASHBOARD = TOP / "config/monitoring/dashboard.json"
# Where the package installs docs.
MANUAL = "/usr/share/kbase/manual"

# Metrics of a remote rate limiter, which this test does not have; they are found in the source instead.
OF_A_SHARED_LEDGER = {"kbase_rate_limit_failures_total", "kbase_rate_limit_fallback_decisions_total"}
OF_PROMETHEUS = {"up": set()}
OF_EVERY_TARGET = {"job", "instance"}


class Server:
    """kbase with every component that has metrics, after one request of each kind."""

    def __init__(self, program):
        self.program = program

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="kbase-metrics-")
        self.services = StandIns().__enter__()
        sets = [f"data_dir={self.folder.name}/data", "server.port=0", "admin.port=0", "logging.format=json",
                "plans.public.per_minute=4", *self.services.settings()]
        self.options = [word for value in sets for word in ("--set", value)]
        printed = subprocess.run([self.program, "keys", "create", "--name", "all", "--plan", "premium", *self.options],
                                 check=True, stdout=subprocess.PIPE, text=True).stdout
        self.key = next(word for word in printed.split() if word.startswith("kb_"))
        self.process = subprocess.Popen([self.program, "serve", *self.options], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip().removeprefix("listening on ")
        self.admin = next(event["url"] for event in map(json.loads, self.process.stderr)
                          if event["event"] == "admin.opened")
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.communicate(timeout=60)
        self.services.__exit__()
        self.folder.cleanup()

    def ask(self, target, body=None, with_key=True):
        fields = {"Content-Type": "application/json"} if body else {}
        if with_key:
            fields["Authorization"] = f"Bearer {self.key}"
        try:
            with urlopen(Request(self.url + target, body, fields), timeout=30) as answer:
                answer.read()
        except HTTPError as refused:
            refused.read()

    def metrics(self):
        self.ask("/search?q=anything")
        self.ask("/item/none")
        self.ask("/external/codehost/ada")
        self.ask("/external/llm", b'{"prompt": "Why?", "max_tokens": 20}')
        for _ in range(6):
            self.ask("/categories", with_key=False)
        with urlopen(self.admin + "/metrics", timeout=30) as answer:
            return answer.read().decode()


class Metric:
    def __init__(self, kind, labels):
        self.kind, self.labels = kind, set(labels)


def shown_in(text):
    """Returns kind and labels of each metric of an exposition, without a histogram's `le`."""
    metrics = {name: Metric(kind, []) for name, kind in re.findall(r"^# TYPE (\w+) (\w+)", text, re.M)}
    for series, labels in re.findall(r"^(\w+)\{([^}]*)\}", text, re.M):
        name = series if series in metrics else re.sub(r"_(bucket|sum|count)$", "", series)
        metrics[name].labels |= set(re.findall(r'(\w+)="', labels)) - {"le"}
    return metrics


def documented():
    metrics = {}
    for names, kind in re.findall(r"^\| (`(?:kbase|process)_[^|]*) \| (\w+) \|", PAGE.read_text(), re.M):
        for name, labels in re.findall(r"`(\w+)(?:\{([^}]*)\})?`", names):
            metrics[name] = Metric(kind, labels.split(",") if labels else [])
    return metrics


def without_suffix(name, metrics):
    base = re.sub(r"_(bucket|sum|count)$", "", name)
    return base if base in metrics and metrics[base].kind == "histogram" else name


def wrong_in(expression, metrics):
    """Returns the metrics and labels that a PromQL expression uses and that do not exist."""
    wrong = []
    labels = {}
    plain = re.sub(r'"(?:[^"\\]|\\.)*"', '""', expression)
    for name, selector in re.findall(r"\b((?:kbase|process)_\w+|up)\b(?:\{([^}]*)\})?", plain):
        metric = without_suffix(name, metrics)
        if metric not in metrics and metric not in OF_PROMETHEUS:
            wrong.append(name)
            continue
        own = (metrics[metric].labels if metric in metrics else set()) | OF_EVERY_TARGET
        own |= {"le"} if name.endswith("_bucket") else set()
        labels[name] = own
        wrong += [f"{name}{{{label}}}" for label in re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", selector) if label not in own]
    for group in re.findall(r"\bby \(([^)]*)\)", plain):
        for label in re.findall(r"\w+", group):
            wrong += [f"by ({label}) of {name}" for name, own in labels.items() if label not in own]
    return wrong


def panels():
    for panel in json.loads(DASHBOARD.read_text())["panels"]:
        yield panel["title"], panel.get("targets", [])


class Monitoring(unittest.TestCase):
    shown = {}

    def test_what_the_server_shows_is_documented(self):
        pages = documented()
        for name, metric in self.shown.items():
            self.assertIn(name, pages, f"a row of {PAGE.relative_to(TOP)} is missing")
            self.assertEqual((pages[name].kind, pages[name].labels), (metric.kind, metric.labels), name)

    def test_what_is_documented_is_shown(self):
        self.assertEqual(set(documented()) - set(self.shown), OF_A_SHARED_LEDGER)
        source = (TOP / "app/composition/rate_limiter.cpp").read_text()
        for name in OF_A_SHARED_LEDGER:
            self.assertIn(f'"{name}"', source)

    def test_the_page_asks_for_what_there_is(self):
        for expression in re.findall(r"^\| [^|]* \| (`.*`) \|$", PAGE.read_text(), re.M):
            self.assertEqual(wrong_in(expression.replace(r"\|", "|"), documented()), [])

    def test_alerts_ask_for_what_there_is(self):
        text = ALERTS.read_text()
        expressions = re.findall(r"^        expr: (.*(?:\n {10}.*)*)", text, re.M)
        self.assertEqual(len(expressions), text.count("- alert:"))
        for expression in expressions:
            self.assertEqual(wrong_in(expression, documented()), [], expression)

    def test_each_alert_has_a_summary_and_a_section_of_the_runbook(self):
        rules = re.split(r"^      - alert: ", ALERTS.read_text(), flags=re.M)[1:]
        for rule in rules:
            name = rule.split()[0]
            self.assertRegex(rule, r'\n          summary: ".+"\n', name)
            page, anchor = re.search(rf"\n          runbook: {MANUAL}/(\S+)#(\S+)\n", rule).groups()
            headings = [heading.lower() for heading in re.findall(r"^## (.*)$", (TOP / "docs" / page).read_text(), re.M)]
            self.assertEqual(anchor, name.lower())
            self.assertIn(anchor, headings, f"{page} has no section of {name}")

    def test_the_runbook_has_no_section_of_an_alert_that_is_gone(self):
        names = set(re.findall(r"- alert: (\w+)", ALERTS.read_text()))
        self.assertEqual(set(re.findall(r"^## (Kbase\w+)$", (TOP / "docs/operations/runbook.md").read_text(), re.M)), names)

    def test_the_dashboard_asks_for_what_there_is(self):
        for title, targets in panels():
            for target in targets:
                self.assertEqual(wrong_in(target["expr"], documented()), [], title)
                named = set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]))
                grouped = re.findall(r"\bby \(([^)]*)\)", target["expr"])
                if grouped:
                    self.assertLessEqual(named, set(re.findall(r"\w+", grouped[0])), title)

    def test_the_dashboard_asks_for_the_chosen_job_and_instances_alone(self):
        for title, targets in panels():
            for target in targets:
                for selector in re.findall(r"\b(?:kbase|process)_\w+(?:\{([^}]*)\})?", target["expr"]):
                    self.assertLessEqual({'job="$job"', 'instance=~"$instance"'}, set(selector.split(", ")), title)

    def test_the_dashboard_names_no_data_source_of_its_author(self):
        for panel in json.loads(DASHBOARD.read_text())["panels"]:
            if "targets" in panel:
                self.assertEqual(panel["datasource"], {"type": "prometheus", "uid": "${datasource}"}, panel["title"])


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    with Server(sys.argv.pop(1)) as server:
        Monitoring.shown = shown_in(server.metrics())
    unittest.main()
