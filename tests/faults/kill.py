#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills kbase at random moments and checks its data.

Usage: kill.py --kbase PROGRAM [--times 200] [--only KIND] [--seed N]
A quarter of the kills hit an import: afterwards the store must open and contain every batch that was reported as
done, and no partial batch. A quarter hit a server that gets an import over HTTP, with the same rule. A quarter hit
a server that indexes an import: afterwards the index must be valid, and a server must find exactly the items of the
store, never a partial batch. The rest hit a server that counts views: afterwards no view older than one second may
be lost, and none may be counted twice. With --only, all kills are of one kind: import, upload, indexing or views. Prints a
line for each failure, and a table.
"""
import argparse
import collections
import hashlib
import http.client
import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from processes import record_result, report_failures

ITEMS = 3000
KINDS = ("import", "upload", "indexing", "views")
VIEWED = 20
INDEX_TIMEOUT = 30  # seconds until a server's index must be current


def marker_of(version):
    """Returns a word that is not similar to other versions' words, so that spelling correction cannot match them."""
    return "w" + hashlib.sha256(str(version).encode()).hexdigest()[:16]


class FaultTest:
    def __init__(self, options):
        self.options = options
        self.random = random.Random(options.seed)
        self.work = tempfile.mkdtemp(prefix="kbase-test-")
        self.store = os.path.join(self.work, "data")
        self.typical = 1.0  # seconds of an import
        self.key = ""  # has the scope "write"
        self.failures = []

    def command(self, *arguments):
        return [self.options.kbase, *arguments, "--set", f"data_dir={self.store}"]

    def batch(self, version):
        """Writes a source whose items all have one version, so that a partial batch is visible."""
        path = os.path.join(self.work, "batch.jsonl")
        with open(path, "w", encoding="ascii") as file:
            for number in range(ITEMS):
                item = {"id": f"item-{number}", "title": f"version {version}", "category": "test",
                        "content": f"{marker_of(version)} " * 40}
                file.write(json.dumps(item) + "\n")
        return path

    def export_lines(self):
        """Returns every line of an export, none if there is no store yet; fails if the store does not open."""
        done = subprocess.run(self.command("export"), capture_output=True, text=True, check=False)
        if "there is no knowledge base" in done.stderr:
            return []
        if done.returncode != 0:
            self.failures.append(f"the store does not open: {done.stderr.strip()}")
            return []
        return [json.loads(line) for line in done.stdout.splitlines()]

    def total(self, port, version):
        """Returns how many items a search finds by a version's word; None while the index is not ready."""
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        connection.request("GET", f"/api/v1/search?match=all&limit=1&q={marker_of(version)}")
        response = connection.getresponse()
        body = response.read()
        connection.close()
        return json.loads(body)["pagination"]["total"] if response.status == 200 else None

    def check_index(self, version):
        """Checks that the index is valid and finds exactly the items of `version`, which the store contains."""
        verified = subprocess.run(self.command("index", "verify"), capture_output=True, text=True, check=False)
        if verified.returncode != 0:
            self.failures.append(f"the index differs from its last commit: {verified.stderr.strip()}")
        server, port = self.start_server()
        until = time.monotonic() + INDEX_TIMEOUT
        found = self.total(port, version)
        while found != ITEMS and time.monotonic() < until:
            if found not in (0, None):
                self.failures.append(f"a search found {found} of {ITEMS} items")
            found = self.total(port, version)
        if found != ITEMS:
            self.failures.append(f"version {version} is in the store, but a search finds {found} of its items")
        for other in range(max(0, version - 3), version + 3):
            if other != version and self.total(port, other) != 0:
                self.failures.append(f"version {other} was replaced in the store, but a search still finds it")
        server.terminate()
        server.wait()

    def kill_indexing(self, version):
        """Kills a server while it indexes an import."""
        server, _ = self.start_server()
        start = time.monotonic()
        process = subprocess.Popen(self.command("import", self.batch(version)), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        try:
            process.wait(timeout=self.random.uniform(0, self.typical * 1.2))
        except subprocess.TimeoutExpired:
            pass  # during the import
        server.send_signal(signal.SIGKILL)
        server.wait()
        if process.wait() != 0:
            self.failures.append("an import failed because a server was killed")
        self.typical = time.monotonic() - start
        self.check_index(version)

    def kill_import(self, version):
        start = time.monotonic()
        process = subprocess.Popen(self.command("import", self.batch(version)), stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, text=True)
        try:
            output, _ = process.communicate(timeout=self.random.uniform(0, self.typical * 1.2))
            self.typical = time.monotonic() - start  # so that most kills occur before the end
        except subprocess.TimeoutExpired:
            process.kill()
            output, _ = process.communicate()
        return self.check_import(version, bool(output))

    def kill_upload(self, version):
        """Kills a server that gets an import over HTTP."""
        server, port = self.start_server()
        answered = []

        def upload():
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            try:
                with open(self.batch(version), "rb") as lines:
                    connection.request("POST", "/api/v1/import?source=batch.jsonl", lines.read(), {
                        "Authorization": f"Bearer {self.key}", "Content-Type": "application/x-ndjson"})
                answered.append(connection.getresponse().status)
            except (OSError, http.client.HTTPException):
                pass  # killed

        start = time.monotonic()
        thread = threading.Thread(target=upload)
        thread.start()
        thread.join(self.random.uniform(0, self.typical * 1.2))
        if not thread.is_alive():
            self.typical = time.monotonic() - start
        server.send_signal(signal.SIGKILL)
        server.wait()
        thread.join()
        if answered and answered[0] != 200:
            self.failures.append(f"an upload got the status {answered[0]}")
        return self.check_import(version, bool(answered))

    def check_import(self, version, reported):
        """Checks that the store has the whole batch, or nothing of it. Returns whether it has it."""
        found = collections.Counter(line["title"] for line in self.export_lines() if line.get("type", "item") == "item")
        if len(found) > 1 or sum(found.values()) not in (0, ITEMS):
            self.failures.append(f"partial batch: {dict(found)}")
        if reported and f"version {version}" not in found:
            self.failures.append(f"version {version} was reported as done but is missing")
        if found:
            self.check_index(int(next(iter(found)).split()[1]))
        return f"version {version}" in found, reported

    def start_server(self):
        command = self.command("serve", "--set", "server.port=0", "--set", "plans.public.per_minute=0", "--set",
                               "plans.public.per_day=0", "--set", "logging.level=error")
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        line = server.stdout.readline()
        if not line.startswith("listening on "):
            sys.exit("the server did not start after a kill")
        return server, int(line.split(":")[2].split("/")[0])

    def count_views(self):
        """Returns the stored views of each item. Starts a server once, because a server reads the journal."""
        server, _ = self.start_server()
        server.terminate()
        server.wait()
        lines = [line for line in self.export_lines() if line.get("type") == "activity"]
        return collections.Counter({line["item"]: sum(line["days"].values()) for line in lines})

    def kill_server(self, before):
        server, port = self.start_server()
        sent, answered = collections.Counter(), []
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        end = time.monotonic() + self.random.uniform(0.05, 2.5)
        while time.monotonic() < end:
            item = f"item-{self.random.randrange(VIEWED)}"
            sent[item] += 1
            connection.request("GET", f"/api/v1/item/{item}")
            response = connection.getresponse()
            response.read()
            if response.status == 200:  # an overloaded server may reject the request, and counts nothing then
                answered.append((time.monotonic(), item))
        killed = time.monotonic()
        server.send_signal(signal.SIGKILL)
        server.wait()
        durable = collections.Counter(item for when, item in answered if when < killed - 1)
        after = self.count_views()
        for item in set(sent) | set(after):
            gained = after[item] - before[item]
            if gained < durable[item]:
                self.failures.append(f"{item}: {durable[item] - gained} views older than a second were lost")
            if gained > sent[item]:
                self.failures.append(f"{item}: {gained - sent[item]} views were counted twice")
        lost = sum(sent.values()) - sum((after - before).values())
        return after, sum(sent.values()), lost

    def kill_batches(self, kind, kills, versions, kill):
        stored = reported = 0
        for version in itertools.islice(versions, kills):
            is_stored, is_reported = kill(version)
            stored += is_stored
            reported += is_reported
        print(f"{kind:8} kills {kills}   batches stored {stored}   of these reported as done {reported}", flush=True)

    def run(self):
        start = time.monotonic()
        subprocess.run(self.command("import", self.batch(0)), check=True, capture_output=True)
        self.typical = time.monotonic() - start
        kills = {kind: self.options.times if kind == self.options.only else 0 if self.options.only else self.options.times // 4
                 for kind in KINDS}
        versions = itertools.count(1)
        self.kill_batches("import", kills["import"], versions, self.kill_import)
        created = subprocess.run(self.command("keys", "create", "--name", "writes", "--plan", "developer", "--scopes",
                                              "read,write"), check=True, capture_output=True, text=True).stdout
        self.key = next(word for word in created.split() if word.startswith("kb_"))
        self.kill_batches("upload", kills["upload"], versions, self.kill_upload)
        for version in itertools.islice(versions, kills["indexing"]):
            self.kill_indexing(version)
        print(f"indexing kills {kills['indexing']}")
        views, sent, lost = self.count_views(), 0, 0
        for _ in range(kills["views"]):
            views, more, missing = self.kill_server(views)
            sent += more
            lost += missing
        print(f"views    kills {kills['views']}   views {sent}   lost within the last second {lost}")
        shutil.rmtree(self.work, ignore_errors=True)
        record_result(f"{sum(kills.values())} times kill -9 of imports and of servers that index or count views",
                      f"{lost} of {sent} views", self.failures, "all from the last second before a kill; no acknowledged batch")
        return report_failures(self.failures)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kbase", required=True)
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--only", choices=KINDS)
    parser.add_argument("--seed", type=int, default=1)
    sys.exit(FaultTest(parser.parse_args()).run())


if __name__ == "__main__":
    main()
