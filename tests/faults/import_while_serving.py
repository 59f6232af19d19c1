#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Imports batches into a serving cluster: measures when each server shows them, and tests that none shows a
partial batch.

Usage: import_while_serving.py --kbase PROGRAM [--sizes 1000,60000] [--rounds 3] [--rate 100] [--times FACTOR]
                               [--opensearch URL]
All items of a batch contain a word that is only in this batch. Each server is polled for the batch's last item
and for the number of items that a search for the word finds, from before the import until it finds all.
Meanwhile requests go through haproxy at a fixed rate. The commit time is PostgreSQL's. A search may find none
or all items of a batch. The item must be visible within a second, and the search complete within a second, or
within twelve if the batch has more than 10,000 items. Searches use an index in each server, or the OpenSearch
at URL. --times multiplies these limits, for a busy machine.
Prints the times of each server. Exit code 77: a required program is missing.
"""
import argparse
import http.client
import json
import sys
import threading
import time

from cluster import Cluster, exit_on_signals, skip_unless_complete
from load import Load, Mixed, failed, marker_of, statuses, times_of, write_items
from processes import PATIENCE, record, report

BASE = 5000
ITEM_WITHIN, SMALL_WITHIN, LARGE_WITHIN = 1.0, 1.0, 12.0  # seconds
SMALL = 10_000
PAUSE = 0.02  # seconds between two polls, so that polling uses little CPU time
# Wall clock, which PostgreSQL uses too.
COMMITTED = ("SELECT extract(epoch FROM pg_xact_commit_timestamp(xmin)) FROM kbase.items"
             " WHERE id = convert_to('{}', 'UTF8')")


class Watch(threading.Thread):
    """Polls one server for one batch until it is complete or the timeout is reached."""

    def __init__(self, server, name, size, patience):
        super().__init__(daemon=True)
        self.server, self.name, self.size = server, name, size
        self.until = time.monotonic() + patience
        self.item_at = self.found_at = None
        self.totals = set()
        self.start()

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        while self.found_at is None and time.monotonic() < self.until:
            if self.item_at is None and self.ask(connection, f"/item/{self.name}-{self.size - 1}")[0] == 200:
                self.item_at = time.time()
            status, body = self.ask(connection, f"/search?match=all&limit=1&q={marker_of(self.name)}")
            total = json.loads(body)["pagination"]["total"] if status == 200 else f"status {status}"
            self.totals.add(total)
            if total == self.size:
                self.found_at = time.time()
            time.sleep(PAUSE)
        connection.close()

    @staticmethod
    def ask(connection, target):
        connection.request("GET", "/api/v1" + target)
        answer = connection.getresponse()
        return answer.status, answer.read()


def import_batch(cluster, name, size, options):
    """Imports one batch. Returns the slowest server's times."""
    source = write_items(cluster.path(name + ".jsonl"), name, size)
    patience = PATIENCE + (LARGE_WITHIN + size / 1000) * options.times
    watches = [Watch(server, name, size, patience) for server in cluster.servers]
    began = time.time()
    cluster.run_command("import", source)
    took = time.time() - began
    for watch in watches:
        watch.join()
    committed = float(cluster.primary.ask(COMMITTED.format(f"{name}-0")))
    items, searches = [], []
    for watch in watches:
        who = f"{watch.server.name}, {size} items"
        halves = watch.totals - {0, size}
        if halves:
            cluster.fail(f"{who}: searches found {sorted(map(str, halves))}")
        if watch.item_at is None or watch.found_at is None:
            cluster.fail(f"{who}: not there {patience:.0f} s after the import began")
            continue
        items.append(watch.item_at - committed)
        searches.append(watch.found_at - committed)
        within = (SMALL_WITHIN if size <= SMALL else LARGE_WITHIN) * options.times
        if items[-1] > ITEM_WITHIN * options.times:
            cluster.fail(f"{who}: the item was shown after {items[-1]:.2f} s")
        if searches[-1] > within:
            cluster.fail(f"{who}: searches found it after {searches[-1]:.2f} s")
    shown = ", ".join(f"{what} {' '.join(f'{one:.3f}' for one in seconds)}"
                      for what, seconds in (("item", items), ("search", searches)))
    print(f"{size:6} items, imported in {took:5.2f} s; seconds from the commit, for each server: {shown}", flush=True)


def test(cluster, options):
    cluster.start_all()
    cluster.run_command("import", write_items(cluster.path("base.jsonl"), "base", BASE))
    for watch in [Watch(server, "base", BASE, PATIENCE * options.times) for server in cluster.servers]:
        watch.join()
    load = Load(cluster.front_port, options.rate, Mixed("base", BASE))
    for size in options.sizes:
        for number in range(options.rounds):
            import_batch(cluster, f"batch{size}x{number}", size, options)
    answers = load.answers()
    print(f"meanwhile {len(answers)} requests, failed {len(failed(answers))}, {times_of(answers)}")
    if failed(answers):
        cluster.fail(f"requests failed: {statuses(failed(answers))}")
    record(f"{options.rounds * len(options.sizes)} batches imported into three servers that serve",
           f"{len(failed(answers))} of {len(answers)} requests", cluster.failures, "and no search showed half a batch")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kbase", required=True)
    parser.add_argument("--servers", type=int, default=3)
    parser.add_argument("--sizes", type=lambda text: [int(size) for size in text.split(",")], default=[1000, 60_000])
    parser.add_argument("--rounds", type=int, default=3, help="batches of each size")
    parser.add_argument("--rate", type=int, default=100, help="requests a second")
    parser.add_argument("--times", type=int, default=1, metavar="FACTOR", help="how many times as long all may take")
    parser.add_argument("--opensearch", metavar="URL")
    options = parser.parse_args()
    skip_unless_complete()
    exit_on_signals()
    cluster = Cluster(options.kbase, options.servers, opensearch=options.opensearch)
    try:
        test(cluster, options)
    finally:
        cluster.end()
    sys.exit(report(cluster.failures, cluster.work))


if __name__ == "__main__":
    main()
