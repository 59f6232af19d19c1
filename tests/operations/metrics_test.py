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
from fake_upstreams import FakeUpstreams  # noqa: E402

PAGE = TOP / "docs/operations/monitoring.md"
ALERTS = TOP / "config/monitoring/alerts.yml"
DASHBOARD = TOP / "config/monitoring/dashboard.json"
# Where the package installs docs.
MANUAL = "/usr/share/kbase/manual"

# Metrics of a remote rate limiter, which this test does not have; they are found in the source instead.
REMOTE_RATE_LIMITER_METRICS = {"kbase_rate_limit_failures_total", "kbase_rate_limit_fallback_decisions_total"}
PROMETHEUS_METRICS = {"up": set()}
TARGET_LABELS = {"job", "instance"}


class Server:
    """kbase with every component that has metrics, after one request of each kind."""

    def __init__(self, program):
        self.program = program

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="kbase-metrics-")
        self.services = FakeUpstreams().__enter__()
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

    def send_request(self, target, body=None, with_key=True):
        fields = {"Content-Type": "application/json"} if body else {}
        if with_key:
            fields["Authorization"] = f"Bearer {self.key}"
        try:
            with urlopen(Request(self.url + target, body, fields), timeout=30) as answer:
                answer.read()
        except HTTPError as refused:
            refused.read()

    def metrics(self):
        self.send_request("/search?q=anything")
        self.send_request("/item/none")
        self.send_request("/external/codehost/ada")
        self.send_request("/external/llm", b'{"prompt": "Why?", "max_tokens": 20}')
        for _ in range(6):
            self.send_request("/categories", with_key=False)
        with urlopen(self.admin + "/metrics", timeout=30) as answer:
            return answer.read().decode()


class Metric:
    def __init__(self, kind, labels):
        self.kind, self.labels = kind, set(labels)


def parse_metrics(text):
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


def find_unknown(expression, metrics):
    """Returns the metrics and labels that a PromQL expression uses and that do not exist."""
    unknown = []
    labels = {}
    plain = re.sub(r'"(?:[^"\\]|\\.)*"', '""', expression)
    for name, selector in re.findall(r"\b((?:kbase|process)_\w+|up)\b(?:\{([^}]*)\})?", plain):
        metric = without_suffix(name, metrics)
        if metric not in metrics and metric not in PROMETHEUS_METRICS:
            unknown.append(name)
            continue
        allowed = (metrics[metric].labels if metric in metrics else set()) | TARGET_LABELS
        allowed |= {"le"} if name.endswith("_bucket") else set()
        labels[name] = allowed
        unknown += [f"{name}{{{label}}}" for label in re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", selector) if label not in allowed]
    for group in re.findall(r"\bby \(([^)]*)\)", plain):
        for label in re.findall(r"\w+", group):
            unknown += [f"by ({label}) of {name}" for name, allowed in labels.items() if label not in allowed]
    return unknown


def panels():
    for panel in json.loads(DASHBOARD.read_text())["panels"]:
        yield panel["title"], panel.get("targets", [])


class Monitoring(unittest.TestCase):
    exported = {}

    def test_every_exported_metric_is_documented(self):
        pages = documented()
        for name, metric in self.exported.items():
            self.assertIn(name, pages, f"a row of {PAGE.relative_to(TOP)} is missing")
            self.assertEqual((pages[name].kind, pages[name].labels), (metric.kind, metric.labels), name)

    def test_every_documented_metric_is_exported(self):
        self.assertEqual(set(documented()) - set(self.exported), REMOTE_RATE_LIMITER_METRICS)
        source = (TOP / "app/composition/backends.cpp").read_text()
        for name in REMOTE_RATE_LIMITER_METRICS:
            self.assertIn(f'"{name}"', source)

    def test_queries_of_the_page_use_existing_metrics(self):
        for expression in re.findall(r"^\| [^|]* \| (`.*`) \|$", PAGE.read_text(), re.M):
            self.assertEqual(find_unknown(expression.replace(r"\|", "|"), documented()), [])

    def test_alerts_use_existing_metrics(self):
        text = ALERTS.read_text()
        expressions = re.findall(r"^        expr: (.*(?:\n {10}.*)*)", text, re.M)
        self.assertEqual(len(expressions), text.count("- alert:"))
        for expression in expressions:
            self.assertEqual(find_unknown(expression, documented()), [], expression)

    def test_each_alert_has_a_summary_and_a_runbook_section(self):
        rules = re.split(r"^      - alert: ", ALERTS.read_text(), flags=re.M)[1:]
        for rule in rules:
            name = rule.split()[0]
            self.assertRegex(rule, r'\n          summary: ".+"\n', name)
            page, anchor = re.search(rf"\n          runbook: {MANUAL}/(\S+)#(\S+)\n", rule).groups()
            headings = [heading.lower() for heading in re.findall(r"^## (.*)$", (TOP / "docs" / page).read_text(), re.M)]
            self.assertEqual(anchor, name.lower())
            self.assertIn(anchor, headings, f"{page} has no section for {name}")

    def test_the_runbook_has_no_section_for_a_removed_alert(self):
        names = set(re.findall(r"- alert: (\w+)", ALERTS.read_text()))
        self.assertEqual(set(re.findall(r"^## (Kbase\w+)$", (TOP / "docs/operations/runbook.md").read_text(), re.M)), names)

    def test_the_dashboard_uses_existing_metrics(self):
        for title, targets in panels():
            for target in targets:
                self.assertEqual(find_unknown(target["expr"], documented()), [], title)
                named = set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]))
                grouped = re.findall(r"\bby \(([^)]*)\)", target["expr"])
                if grouped:
                    self.assertLessEqual(named, set(re.findall(r"\w+", grouped[0])), title)

    def test_the_dashboard_selects_the_chosen_job_and_instances(self):
        for title, targets in panels():
            for target in targets:
                for selector in re.findall(r"\b(?:kbase|process)_\w+(?:\{([^}]*)\})?", target["expr"]):
                    self.assertLessEqual({'job="$job"', 'instance=~"$instance"'}, set(selector.split(", ")), title)

    def test_the_dashboard_uses_the_data_source_variable(self):
        for panel in json.loads(DASHBOARD.read_text())["panels"]:
            if "targets" in panel:
                self.assertEqual(panel["datasource"], {"type": "prometheus", "uid": "${datasource}"}, panel["title"])


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    with Server(sys.argv.pop(1)) as server:
        Monitoring.exported = parse_metrics(server.metrics())
    unittest.main()
