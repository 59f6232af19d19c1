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
from load import Load, RequestMix, failed, marker_of, count_statuses, format_times, write_items
from processes import TIMEOUT, record_result, report_failures

BASE = 5000
ITEM_WITHIN, SMALL_WITHIN, LARGE_WITHIN = 1.0, 1.0, 12.0  # seconds
SMALL = 10_000
POLL_INTERVAL = 0.02  # seconds between two polls, so that polling uses little CPU time
# Wall clock, which PostgreSQL uses too.
COMMITTED = ("SELECT extract(epoch FROM pg_xact_commit_timestamp(xmin)) FROM kbase.items"
             " WHERE id = convert_to('{}', 'UTF8')")


class BatchPoller(threading.Thread):
    """Polls one server for one batch until it is complete or the timeout is reached."""

    def __init__(self, server, name, size, timeout):
        super().__init__(daemon=True)
        self.server, self.name, self.size = server, name, size
        self.until = time.monotonic() + timeout
        self.item_at = self.found_at = None
        self.totals = set()
        self.start()

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        while self.found_at is None and time.monotonic() < self.until:
            if self.item_at is None and self.fetch(connection, f"/item/{self.name}-{self.size - 1}")[0] == 200:
                self.item_at = time.time()
            status, body = self.fetch(connection, f"/search?match=all&limit=1&q={marker_of(self.name)}")
            total = json.loads(body)["pagination"]["total"] if status == 200 else f"status {status}"
            self.totals.add(total)
            if total == self.size:
                self.found_at = time.time()
            time.sleep(POLL_INTERVAL)
        connection.close()

    @staticmethod
    def fetch(connection, target):
        connection.request("GET", "/api/v1" + target)
        response = connection.getresponse()
        return response.status, response.read()


def import_batch(cluster, name, size, options):
    """Imports one batch. Returns the slowest server's times."""
    source = write_items(cluster.path(name + ".jsonl"), name, size)
    timeout = TIMEOUT + (LARGE_WITHIN + size / 1000) * options.times
    pollers = [BatchPoller(server, name, size, timeout) for server in cluster.servers]
    began = time.time()
    cluster.run_command("import", source)
    took = time.time() - began
    for poller in pollers:
        poller.join()
    committed = float(cluster.primary.query(COMMITTED.format(f"{name}-0")))
    items, searches = [], []
    for poller in pollers:
        name_and_size = f"{poller.server.name}, {size} items"
        partial = poller.totals - {0, size}
        if partial:
            cluster.fail(f"{name_and_size}: searches found {sorted(map(str, partial))}")
        if poller.item_at is None or poller.found_at is None:
            cluster.fail(f"{name_and_size}: not complete {timeout:.0f} s after the import began")
            continue
        items.append(poller.item_at - committed)
        searches.append(poller.found_at - committed)
        limit = (SMALL_WITHIN if size <= SMALL else LARGE_WITHIN) * options.times
        if items[-1] > ITEM_WITHIN * options.times:
            cluster.fail(f"{name_and_size}: the item was visible after {items[-1]:.2f} s")
        if searches[-1] > limit:
            cluster.fail(f"{name_and_size}: searches were complete after {searches[-1]:.2f} s")
    delays = ", ".join(f"{what} {' '.join(f'{one:.3f}' for one in seconds)}"
                      for what, seconds in (("item", items), ("search", searches)))
    print(f"{size:6} items, imported in {took:5.2f} s; seconds from the commit, for each server: {delays}", flush=True)


def test(cluster, options):
    cluster.start_all()
    cluster.run_command("import", write_items(cluster.path("base.jsonl"), "base", BASE))
    for poller in [BatchPoller(server, "base", BASE, TIMEOUT * options.times) for server in cluster.servers]:
        poller.join()
    load = Load(cluster.front_port, options.rate, RequestMix("base", BASE))
    for size in options.sizes:
        for number in range(options.rounds):
            import_batch(cluster, f"batch{size}x{number}", size, options)
    responses = load.responses()
    print(f"concurrent load: {len(responses)} requests, failed {len(failed(responses))}, {format_times(responses)}")
    if failed(responses):
        cluster.fail(f"requests failed: {count_statuses(failed(responses))}")
    record_result(f"{options.rounds * len(options.sizes)} batches imported into three serving servers",
                  f"{len(failed(responses))} of {len(responses)} requests", cluster.failures, "no search showed a partial batch")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kbase", required=True)
    parser.add_argument("--servers", type=int, default=3)
    parser.add_argument("--sizes", type=lambda text: [int(size) for size in text.split(",")], default=[1000, 60_000])
    parser.add_argument("--rounds", type=int, default=3, help="batches of each size")
    parser.add_argument("--rate", type=int, default=100, help="requests a second")
    parser.add_argument("--times", type=int, default=1, metavar="FACTOR", help="multiplies all time limits")
    parser.add_argument("--opensearch", metavar="URL")
    options = parser.parse_args()
    skip_unless_complete()
    exit_on_signals()
    cluster = Cluster(options.kbase, options.servers, opensearch=options.opensearch)
    try:
        test(cluster, options)
    finally:
        cluster.end()
    sys.exit(report_failures(cluster.failures, cluster.work))


if __name__ == "__main__":
    main()
