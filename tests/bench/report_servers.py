# SPDX-License-Identifier: Apache-2.0
"""Servers of a benchmark report: time of a client's page with titles, excerpts and the exact total over HTTP, and
pages per second with sixteen clients."""
import contextlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

import opensearch
from report_engines import Missing
from report_measurements import spread_of
from report_queries import CLASSES
from serving import Server, load, serve_command, write_paths

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from waiting import wait_for  # noqa: E402

CLIENTS = 16
SECONDS, WARM_UP = 2, 1
READY_WITHIN = 600
REFUSALS = {429, 503}
SHAPES = {"phrase": '"{}"', "prefix": "{}*"}


class Kbase:
    """kbase with default settings, except that it has no rate limits and no access log."""

    def __init__(self, kbase, work):
        self.kbase, self.server = kbase, None
        self.store = os.path.join(work, "served")
        output = subprocess.run([kbase, "version"], capture_output=True, text=True, check=True).stdout
        self.version = output.splitlines()[0]

    def fill(self, items):
        """Imports the items and waits until a search finds them."""
        shutil.rmtree(self.store, ignore_errors=True)
        subprocess.run([self.kbase, "import", items, "--set", f"data_dir={self.store}"], check=True, capture_output=True)
        self.server = Server(serve_command(self.kbase, self.store, "logging.level=warning"))
        self.port, self.pid = self.server.port, self.server.process.pid
        wait_for("the index of kbase", self.is_ready, READY_WITHIN)

    def is_ready(self):
        """Whether the index exists and contains the whole store."""
        try:
            url = f"http://127.0.0.1:{self.port}/api/v1"
            with urllib.request.urlopen(f"{url}/search?q=ready") as found, urllib.request.urlopen(f"{url}/health") as health:
                return found.status == 200 and json.load(health)["status"] == "healthy"
        except urllib.error.HTTPError:
            return False

    @staticmethod
    def path(mode, words):
        parameters = {"q": SHAPES.get(mode, "{}").format(words), "match": "any" if mode == "or" else "all"}
        return f"/api/v1/search?{urllib.parse.urlencode(parameters)}"

    def measure_resources(self):
        files = (os.path.join(folder, name) for folder, _, names in os.walk(self.store) for name in names)
        return sum(os.path.getsize(file) for file in files) / 1e6, self.server.memory_mib("VmHWM")

    def stop(self):
        if self.server:
            self.server.stop()


class OpenSearch:
    """OpenSearch server that already runs on this machine."""

    def __init__(self, url):
        try:
            self.peer = opensearch.Peer(url)
            self.pid = self.peer.pid()
        except OSError as error:
            raise Missing(f"the server of KBASE_TEST_OPENSEARCH_URL does not respond ({error})") from error
        self.port, self.version, self.path = self.peer.port, f"OpenSearch {self.peer.version}", self.peer.path
        self.fill, self.measure_resources, self.stop = self.peer.fill, self.peer.measure_resources, self.peer.clear


class LoadedServer:
    """Server under load."""

    def __init__(self, name, server, queries, tool, work, noise):
        self.name, self.server, self.tool, self.work, self.noise = name, server, tool, work, noise
        self.paths = {mode: [server.path(mode, words) for words in queries[mode]] for mode in CLASSES}
        self.passes = {mode: [] for mode in CLASSES}
        self.rates = []

    def fill(self, items):
        began = time.monotonic()
        self.server.fill(items)
        self.fill_seconds = time.monotonic() - began
        if self.server.pid:
            self.noise.servers.add(self.server.pid)

    def load(self, paths, **options):
        file = write_paths(os.path.join(self.work, "paths"), paths)
        answers = load(self.tool, self.server.port, file, seconds=SECONDS, warm_up=WARM_UP, **options)
        for status in REFUSALS & set(answers):
            self.noise.refused += answers.pop(status)["count"]
        if set(answers) != {200}:
            raise SystemExit(f"{self.name} answered {answers}: responses other than 200 cost less than the measured work")
        return answers[200]

    def measure_class(self, mode):
        self.passes[mode].append(self.load(self.paths[mode], connections=1))

    def saturate(self):
        """Mixes the queries of all classes."""
        mixed = [path for row in zip(*self.paths.values()) for path in row]
        self.rates.append(self.load(mixed, connections=CLIENTS)["count"] / SECONDS)

    def results(self):
        classes = {}
        for mode, passes in self.passes.items():
            classes[mode] = {**{each: statistics.median(times[f"{each}_ms"] for times in passes)
                                for each in ("mean", "p50", "p95", "p99")},
                             "spread": spread_of([times["mean_ms"] for times in passes])}
        disk, resident = self.server.measure_resources()
        return {"version": self.server.version, "classes": classes, "rate": statistics.median(self.rates),
                "rate_spread": spread_of(self.rates), "fill_seconds": self.fill_seconds, "disk_mb": disk, "peak_mib": resident}


def servers(kbase, work):
    """Returns the servers that can be measured here, and the reasons for the others."""
    found, missing = {"kbase": Kbase(kbase, work)}, {}
    try:
        url = os.environ.get("KBASE_TEST_OPENSEARCH_URL")
        if not url:
            raise Missing("KBASE_TEST_OPENSEARCH_URL is not set to a server on this machine")
        found["OpenSearch"] = OpenSearch(url)
    except Missing as reason:
        missing["OpenSearch"] = str(reason)
    return found, missing


def fill(contenders, items, report):
    """Imports the items. Returns the servers that succeeded and the errors of the others: a failing peer must not
    prevent the measurement of the rest."""
    filled, missing = [], {}
    for each in contenders:
        report(f"{each.name}: importing")
        try:
            each.fill(items)
            filled.append(each)
        except OSError as error:
            if each.name == "kbase":
                raise
            missing[each.name] = f"the import failed ({error})"
    return filled, missing


def measure(found, items, work, tool, queries, passes, noise, report):
    """Returns the results of every server by name, and the reasons for missing ones. Servers alternate, class by
    class."""
    contenders = [LoadedServer(name, server, queries, tool, work, noise) for name, server in found.items()]
    try:
        filled, missing = fill(contenders, items, report)
        for number in range(passes):
            report(f"pass {number + 1} of {passes} over HTTP")
            for mode in CLASSES:
                noise.sample()
                for each in filled[::1 if number % 2 else -1]:
                    each.measure_class(mode)
            for each in filled:
                each.saturate()
        return {each.name: each.results() for each in filled}, missing
    finally:
        for each in contenders:
            with contextlib.suppress(OSError):
                each.server.stop()
