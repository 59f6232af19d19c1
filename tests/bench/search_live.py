# SPDX-License-Identifier: Apache-2.0
"""Searches at a steady rate while `kbase import` updates a hundred items every two seconds: the time from a commit
until a search finds the update, and the effect on other searches. Server, load and imports share the machine's
cores."""
import gzip
import http.client
import itertools
import json
import os
import statistics
import subprocess
import time

from search_http import only_ok, search_path
from serving import Server, parse_results, load, load_command, serve_command, write_paths

RATE = 1000
UPDATES, ITEMS = 10, 100
SECONDS_APART = 2
WARM_UP_SECONDS = 2
WORDS = ("zqeven", "zqodd")  # items of an update have one of these in turn; one item always has both


class SearchLive:
    def __init__(self, kbase, tool, work, queries, report):
        self.kbase, self.tool, self.work, self.queries, self.report = kbase, tool, work, queries, report

    def run(self, store, items):
        self.write_updates(items)
        paths = write_paths(os.path.join(self.work, "live-paths"),
                            [search_path("and", words) for words in self.queries["and"]])
        with Server(serve_command(self.kbase, store, "logging.level=warning")) as server:
            self.update(server, store, "first")
            unloaded, _ = self.run_under_load(server, paths, lambda: [])
            loaded, delays = self.run_under_load(server, paths, lambda: self.updates(server, store))
        self.report("live", f"100 items found {statistics.median(delays):.0f} ms after their commit (median of {UPDATES}), "
                 f"at most {max(delays):.0f} ms (under 100)")
        self.report("live", f"{RATE:,} searches/s: p50 {unloaded['p50_ms']:.2f} ms, p99 {unloaded['p99_ms']:.2f} ms; during "
                 f"updates p50 {loaded['p50_ms']:.2f} ms, p99 {loaded['p99_ms']:.2f} ms: "
                 f"{loaded['p99_ms'] / unloaded['p99_ms']:.2f} times (at most 1.5)")

    def write_updates(self, source):
        """Writes the same hundred items with the one word and with the other."""
        with gzip.open(source, "rt", encoding="utf-8") as lines:
            items = [json.loads(line) for line in itertools.islice(lines, ITEMS)]
        for word in WORDS:
            self.write(word, [{**item, "content": f"{item.get('content', '')} {word}"} for item in items])
        self.write("first", [{"id": "bench-live", "title": " ".join(WORDS), "category": "bench"}])

    def file(self, name):
        return os.path.join(self.work, f"live-{name}.jsonl")

    def write(self, name, items):
        with open(self.file(name), "w", encoding="utf-8") as lines:
            lines.writelines(json.dumps(item) + "\n" for item in items)

    def run_under_load(self, server, paths, action):
        """Runs `action` under load. Returns the times of the load and the result of `action`."""
        seconds = UPDATES * SECONDS_APART
        http_load = self.tool("http_load")
        load(http_load, server.port, paths, connections=16, rate=RATE, seconds=WARM_UP_SECONDS)
        command = load_command(http_load, server.port, paths, connections=16, rate=RATE, seconds=seconds)
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            result = action()
            return only_ok(parse_results(process.stdout.read())), result

    def updates(self, server, store):
        start = time.monotonic()
        delays = []
        for number in range(UPDATES):
            time.sleep(max(0, start + number * SECONDS_APART - time.monotonic()))
            delays.append(self.update(server, store, WORDS[number % 2]))
        return delays

    def update(self, server, store, name):
        """Returns the milliseconds from the commit, which the command reports, until all of the update is found."""
        command = [self.kbase, "import", self.file(name), "--set", f"data_dir={store}"]
        word, total = (WORDS[0], 1) if name == "first" else (name, ITEMS + 1)
        connection = http.client.HTTPConnection("127.0.0.1", int(server.port))
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
            process.stdout.readline()
            committed = time.monotonic()
            while self.count_found(connection, word) != total:
                if time.monotonic() - committed > 30:
                    raise SystemExit(f"{command}: a search did not find the update")
            return (time.monotonic() - committed) * 1000

    @staticmethod
    def count_found(connection, word):
        connection.request("GET", f"/api/v1/search?q={word}&limit=1")
        return json.loads(connection.getresponse().read())["pagination"]["total"]
