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

from search_http import answered, search_path
from serving import Server, answers_of, load, load_command, serve_command, write_paths

RATE = 1000
UPDATES, ITEMS = 10, 100
SECONDS_APART = 2
WARM_UP_SECONDS = 2
WORDS = ("zqeven", "zqodd")  # items of an update have one of these in turn; one item always has both


class SearchLive:
    def __init__(self, kbase, tool, work, queries, say):
        self.kbase, self.tool, self.work, self.queries, self.say = kbase, tool, work, queries, say

    def run(self, store, items):
        self.write_updates(items)
        paths = write_paths(os.path.join(self.work, "live-paths"),
                            [search_path("and", words) for words in self.queries["and"]])
        with Server(serve_command(self.kbase, store, "logging.level=warning")) as server:
            self.update(server, store, "first")
            without, _ = self.loaded(server, paths, lambda: [])
            beside, shown = self.loaded(server, paths, lambda: self.updates(server, store))
        self.say("live", f"100 items found {statistics.median(shown):.0f} ms after their commit (median of {UPDATES}), "
                 f"at most {max(shown):.0f} ms (under 100)")
        self.say("live", f"{RATE:,} searches/s: p50 {without['p50_ms']:.2f} ms, p99 {without['p99_ms']:.2f} ms; beside "
                 f"updates p50 {beside['p50_ms']:.2f} ms, p99 {beside['p99_ms']:.2f} ms: "
                 f"{beside['p99_ms'] / without['p99_ms']:.2f} times (at most 1.5)")

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

    def loaded(self, server, paths, act):
        """Runs `act` under load. Returns the times of the load and the result of `act`."""
        seconds = UPDATES * SECONDS_APART
        http_load = self.tool("http_load")
        load(http_load, server.port, paths, connections=16, rate=RATE, seconds=WARM_UP_SECONDS)
        command = load_command(http_load, server.port, paths, connections=16, rate=RATE, seconds=seconds)
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            done = act()
            return answered(answers_of(process.stdout.read())), done

    def updates(self, server, store):
        start = time.monotonic()
        shown = []
        for number in range(UPDATES):
            time.sleep(max(0, start + number * SECONDS_APART - time.monotonic()))
            shown.append(self.update(server, store, WORDS[number % 2]))
        return shown

    def update(self, server, store, name):
        """Returns the milliseconds from the commit, which the command reports, until all of the update is found."""
        command = [self.kbase, "import", self.file(name), "--set", f"data_dir={store}"]
        word, total = (WORDS[0], 1) if name == "first" else (name, ITEMS + 1)
        connection = http.client.HTTPConnection("127.0.0.1", int(server.port))
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
            process.stdout.readline()
            committed = time.monotonic()
            while self.total(connection, word) != total:
                if time.monotonic() - committed > 30:
                    raise SystemExit(f"{command} was not found")
            return (time.monotonic() - committed) * 1000

    @staticmethod
    def total(connection, word):
        connection.request("GET", f"/api/v1/search?q={word}&limit=1")
        return json.loads(connection.getresponse().read())["pagination"]["total"]
