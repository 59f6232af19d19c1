#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Takes backups of a base during reads and imports, and checks their content.

Usage: backup_under_load.py --kbase PROGRAM [--items 5000] [--rounds 12] [--seed N]
Each import gives every item the next version, so that a partial batch is visible. Each round takes one backup;
every third backup is killed at a random moment. The file with the backup's name must then be complete: it is
restored into an empty base, which must hold one version of every item and the keys. Its views must be at least
those that the store had when the backup began, and at most those sent by its end. Finally the server is killed,
and its journal is given to the base and to a restored backup of it: both must count the same. Prints a line for
each failure, and a table.
"""
import argparse
import collections
import http.client
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

VIEWED = 50


class Reader(threading.Thread):
    """Reads items over one connection and records the time of each response."""

    def __init__(self, port, seed):
        super().__init__(daemon=True)
        self.port, self.random = port, random.Random(seed)
        self.sent = 0
        self.failed = collections.Counter()
        self.times = []
        self.running = True

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        while self.running:
            begin = time.monotonic()
            self.sent += 1
            try:
                connection.request("GET", f"/api/v1/item/item-{self.random.randrange(VIEWED)}")
                response = connection.getresponse()
                response.read()
                if response.status != 200:
                    self.failed[response.status] += 1
            except (OSError, http.client.HTTPException) as error:
                if self.running:
                    self.failed[str(error)] += 1
                return
            self.times.append((begin, time.monotonic() - begin))
            time.sleep(0.002)


def percentile_ms(times, fraction):
    times = sorted(times)
    return times[int(len(times) * fraction)] * 1000 if times else float("nan")


class FaultTest:
    def __init__(self, options):
        self.options = options
        self.random = random.Random(options.seed)
        self.work = tempfile.mkdtemp(prefix="kbase-backup-test-")
        self.data = os.path.join(self.work, "data")
        self.file = os.path.join(self.work, "backup")
        self.version = 0
        self.importing = True
        self.failures = []
        self.backup_times = []  # begin and end of completed backups

    def command(self, *arguments, data=None):
        return [self.options.kbase, *arguments, "--set", f"data_dir={data or self.data}"]

    def run_command(self, *arguments, data=None):
        done = subprocess.run(self.command(*arguments, data=data), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            self.failures.append(f"{' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout

    def import_next(self):
        path = os.path.join(self.work, "batch.jsonl")
        with open(path, "w", encoding="ascii") as file:
            for number in range(self.options.items):
                file.write(json.dumps({"id": f"item-{number}", "title": f"version {self.version}", "category": "test",
                                       "content": f"{self.version} " * 200}) + "\n")
        self.run_command("import", path)
        self.version += 1

    def keep_importing(self):
        while self.importing:
            self.import_next()

    def start_server(self, data=None):
        command = self.command("serve", "--set", "server.port=0", "--set", "plans.public.per_minute=0", "--set",
                               "plans.public.per_day=0", "--set", "logging.level=error", data=data)
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        line = server.stdout.readline()
        if not line.startswith("listening on "):
            sys.exit("the server did not start")
        return server, int(line.split(":")[2].split("/")[0])

    def export_lines(self, data):
        return [json.loads(line) for line in self.run_command("export", data=data).splitlines()]

    @staticmethod
    def count_views(lines):
        return collections.Counter({line["item"]: sum(line["days"].values()) for line in lines
                                    if line.get("type") == "activity"})

    def check(self, keys, fewest, most):
        """Restores the backup file and checks its content."""
        data = os.path.join(self.work, "restored")
        shutil.rmtree(data, ignore_errors=True)
        begin = time.monotonic()
        self.run_command("restore", self.file, data=data)
        seconds = time.monotonic() - begin
        lines = self.export_lines(data)
        titles = collections.Counter(line["title"] for line in lines if "title" in line)
        if len(titles) != 1 or sum(titles.values()) != self.options.items:
            self.failures.append(f"the backup contains {dict(titles)}")
        if self.run_command("keys", "list", "--json", data=data) != keys:
            self.failures.append("the restored base has different keys")
        views = sum(self.count_views(lines).values())
        if not fewest <= views <= most:
            self.failures.append(f"the backup has {views} views; expected {fewest} to {most}")
        return seconds

    def check_journals(self, server, reader):
        """Kills a server, which leaves views in its journal. They must count once, in the base and in its backup."""
        reader.running = False
        server.send_signal(signal.SIGKILL)
        server.wait()
        journal = os.path.join(self.work, "journal")
        shutil.copytree(os.path.join(self.data, "journal"), journal)
        for name, journal_first in (("before", False), ("after", True)):
            if journal_first:  # the base reads the journal before the backup, which then contains its views and its position
                self.start_and_stop_server(self.data)
            self.run_command("backup", self.file)
            data = os.path.join(self.work, "restored-" + name)
            self.run_command("restore", self.file, data=data)
            shutil.rmtree(os.path.join(data, "journal"), ignore_errors=True)
            shutil.copytree(journal, os.path.join(data, "journal"))
            self.start_and_stop_server(data)
            if not journal_first:
                restored = self.count_views(self.export_lines(data))
                self.start_and_stop_server(self.data)
                if restored != self.count_views(self.export_lines(self.data)):
                    self.failures.append("a restored base counts a journal differently than the original base")
            elif self.count_views(self.export_lines(data)) != self.count_views(self.export_lines(self.data)):
                self.failures.append("a restored base counts views again that its backup contains")
        return len(os.listdir(journal))

    def start_and_stop_server(self, data):
        server, _ = self.start_server(data)
        server.terminate()
        server.wait()

    def run(self):
        self.import_next()
        for number in range(5):
            self.run_command("keys", "create", "--name", f"key {number}", "--plan", "developer")
        keys = self.run_command("keys", "list", "--json")
        server, port = self.start_server()
        reader = Reader(port, self.options.seed)
        reader.start()
        importer = threading.Thread(target=self.keep_importing, daemon=True)
        importer.start()
        typical, killed, restores, sizes = 1.0, 0, [], []
        floor, ceiling = 0, 0  # bounds of the views in the current backup file
        for number in range(self.options.rounds):
            fewest = sum(self.count_views(self.export_lines(self.data)).values())
            begin = time.monotonic()
            process = subprocess.Popen(self.command("backup", self.file), stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE, text=True)
            try:
                wait = self.random.uniform(0, typical) if number % 3 == 2 else None
                _, errors = process.communicate(timeout=wait)
                typical = time.monotonic() - begin
                self.backup_times.append((begin, time.monotonic()))
                if process.returncode != 0:
                    self.failures.append(f"backup: {errors.strip()}")
                floor, ceiling = fewest, reader.sent
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                killed += 1
                # The file may be complete although the command was killed before its last message.
                ceiling = reader.sent
            sizes.append(os.path.getsize(self.file))
            restores.append(self.check(keys, floor, ceiling))
        self.importing = False
        importer.join()
        segments = self.check_journals(server, reader)
        during = [took for at, took in reader.times if any(begin <= at <= end for begin, end in self.backup_times)]
        if reader.failed:
            self.failures.append(f"requests failed: {dict(reader.failed)}")
        seconds = sorted(end - begin for begin, end in self.backup_times)
        print(f"backups  {len(self.backup_times)} of {self.options.items} items, {killed} killed, {self.version} concurrent imports,"
              f" median {seconds[len(seconds) // 2]:.2f} s, {sizes[-1]} bytes")
        print(f"restores {len(restores)}, median {sorted(restores)[len(restores) // 2]:.2f} s")
        print(f"requests {reader.sent}, failed {sum(reader.failed.values())}; ms during backups: p50"
              f" {percentile_ms(during, 0.5):.2f}, p99 {percentile_ms(during, 0.99):.2f}")
        print(f"journal  {segments} segments of a killed server, each counted once")
        shutil.rmtree(self.work, ignore_errors=True)
        record_result(f"{len(self.backup_times)} backups, {killed} of them killed, and {len(restores)} restores during imports and requests",
                      f"{sum(reader.failed.values())} of {reader.sent} requests", self.failures)
        return report_failures(self.failures)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kbase", required=True)
    parser.add_argument("--items", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    sys.exit(FaultTest(parser.parse_args()).run())


if __name__ == "__main__":
    main()
