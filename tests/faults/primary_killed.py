#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills or freezes the primary of a cluster's PostgreSQL under load. Measures failing requests and data loss.

Usage: primary_killed.py --kbase PROGRAM [--runs 3] [--away 3] [--rate 200] [KIND...]
All processes of the primary are killed at once (kill -9) while items are viewed and batches are imported. After
--away seconds, the time a failover manager may need to decide, the replica is promoted. KIND selects the
replication:
- synchronous: no acknowledged import or view may be lost, and servers find the new primary by themselves;
- asynchronous: the loss is reported;
- lagging: asynchronous, and the replica does not receive the last imports. Every server must reject it, even
  when other imports advance its revision, until the store gets a new store id and the servers are restarted;
- frozen: its processes are stopped (SIGSTOP) for --away seconds and then continue; nothing may be lost.
Afterwards no view is counted twice, no batch is partial, and each server finds exactly the items of each batch
that the store has.
Prints the results for each kind of request, and a line for each failure. Without KIND, all kinds run. Exit code
77: a required program is missing.
"""
import argparse
import collections
import json
import signal
import subprocess
import sys
import threading
import time

from cluster import Cluster, exit_on_signals, skip_unless_complete
from load import Load, RequestMix, failed, marker_of, count_statuses, format_times, write_items
from processes import fetch, record_result, report_failures, wait_for

KINDS = ("synchronous", "asynchronous", "lagging", "frozen")
LOSSLESS = ("synchronous", "frozen")
BASE, BATCH = 2000, 100  # items
REQUEST_KINDS = {"search": 30, "item": 30, "categories": 10, "category": 10, "popular": 6, "recent": 6, "stats": 4, "health": 4}
STEADY_TIME = 4.0  # seconds before and after the fault
FAILOVER_TIMEOUT = 15.0  # seconds for servers to find the new primary, or to reject it
COUNT_TIMEOUT = 20.0
MISSED_IMPORTS = 3  # imports that a lagging replica does not receive
STALE_REPLICA = "is at revision"
NEW_STORE_ID = "UPDATE kbase.store SET lineage = decode(replace(gen_random_uuid()::text, '-', ''), 'hex')"


class Importer(threading.Thread):
    """Imports small batches one after the other, and records which were reported as done."""

    def __init__(self, cluster):
        super().__init__(daemon=True)
        self.cluster = cluster
        self.done, self.tried = [], []
        self.running = True
        self.start()

    def run(self):
        while self.running:
            name = f"batch{len(self.tried)}"
            self.tried.append(name)
            source = write_items(self.cluster.path(name + ".jsonl"), name, BATCH)
            done = subprocess.run(self.cluster.command("import", source), capture_output=True, text=True, check=False)
            if done.stdout:
                self.done.append(name)

    def finish(self):
        self.running = False
        self.join()


class FaultRun:
    """One failure, from the start of all processes to their end."""

    def __init__(self, options, kind):
        self.options, self.kind, self.lost = options, kind, []
        self.cluster = Cluster(options.kbase, 3, synchronous=kind == "synchronous")

    def fail(self, what):
        self.cluster.fail(f"{self.kind}: {what}")

    def run(self):
        cluster = self.cluster
        cluster.start_all()
        cluster.run_command("import", write_items(cluster.path("base.jsonl"), "base", BASE))
        load = Load(cluster.front_port, self.options.rate, RequestMix("base", BASE, REQUEST_KINDS))
        importer = Importer(cluster)
        time.sleep(STEADY_TIME)
        if self.kind == "lagging":
            cluster.primary.freeze_replication()
            received = len(importer.done)
            # The replica may have received the import that is being reported.
            wait_for("imports", lambda: len(importer.done) > received + MISSED_IMPORTS)
        killed = time.monotonic()
        self.inject_fault()
        promoted = time.monotonic()
        rejected = self.wait_for_servers(promoted)
        back = time.monotonic()
        time.sleep(STEADY_TIME)
        importer.finish()
        responses = load.responses()
        print(f"{self.kind}: {'resumed' if self.kind == 'frozen' else 'promoted'} {promoted - killed:.1f} s after the fault, every"
              f" server ready {back - promoted:.1f} s later{', after a new store id' if rejected else ''}")
        self.report_requests(responses, killed, back)
        self.check_imports(importer)
        self.check_views(responses)
        self.check_indexes(importer)

    def record_result(self):
        how = "frozen" if self.kind == "frozen" else f"killed, {self.kind} replica promoted"
        record_result(f"PostgreSQL primary {how}", ", ".join(self.lost), self.cluster.failures)

    def inject_fault(self):
        """Injects the fault. Returns when a server accepts writes again; that server's store is authoritative from
        then on."""
        self.store = self.cluster.primary if self.kind == "frozen" else self.cluster.replica
        if self.kind != "frozen":
            self.cluster.primary.kill()
            time.sleep(self.options.away)
            self.cluster.replica.promote()
            return
        self.cluster.primary.signal_all(signal.SIGSTOP)
        try:
            time.sleep(self.options.away)
        finally:
            self.cluster.primary.signal_all(signal.SIGCONT)

    def wait_for_servers(self, promoted):
        """Waits until all servers work again. Returns whether a new store id was required."""
        cluster = self.cluster
        while time.monotonic() < promoted + FAILOVER_TIMEOUT and self.kind != "lagging":
            if all(server.is_ready() for server in cluster.servers) and cluster.is_served_by(cluster.servers):
                return False
            time.sleep(0.01)
        if self.kind == "lagging":
            wait_for("the rejection of the replica", lambda: STALE_REPLICA in cluster.log())
        if any(server.is_ready() for server in cluster.servers):
            self.fail("a server accepts a replica that lacks revisions it has seen")
        rejection = next((line for line in cluster.log().splitlines() if STALE_REPLICA in line), None)
        if rejection is None or self.kind in LOSSLESS:
            self.fail(f"servers did not find the new primary: {cluster.servers[0].obstacles()}")
        if rejection:
            print(f"{self.kind}: rejected; /readyz reports {cluster.servers[0].obstacles()}, the log"
                  f" {json.loads(rejection)['cause']}")
        cluster.replica.query(NEW_STORE_ID)
        for server in cluster.servers:
            server.stop()
            server.start()
        cluster.wait_until_ready()
        return True

    def report_requests(self, responses, killed, back):
        for kind in REQUEST_KINDS:
            during = [response for response in responses if response.kind == kind and killed - 1 <= response.began <= back]
            bad = sorted(response.began + response.seconds - killed for response in failed(during))
            period = f", from {bad[0]:.1f} to {bad[-1]:.1f} s after the fault" if bad else ""
            print(f"  {kind:10} {len(during):5} requests, {format_times(during)}; failed {len(bad)}"
                  f" {count_statuses(failed(during)) if bad else ''}{period}")
            if kind == "search":
                self.lost.insert(0, f"{len(bad)} of {len(during)} searches")
        after = [response for response in responses if response.began > back]
        if failed(after):
            self.fail(f"after every server was ready, {len(failed(after))} of {len(after)} requests failed:"
                      f" {count_statuses(failed(after))}")

    def check_imports(self, importer):
        rows = self.store.query("SELECT split_part(convert_from(id, 'UTF8'), '-', 1), count(*) FROM kbase.items"
                              " GROUP BY 1").splitlines()
        self.stored = {name: int(count) for name, count in (row.split("|") for row in rows)}
        partial = {name: count for name, count in self.stored.items() if name != "base" and count != BATCH}
        if partial:
            self.fail(f"partial batches: {partial}")
        lost = [name for name in importer.done if name not in self.stored]
        self.lost.append(f"{len(lost)} of {len(importer.done)} acknowledged imports")
        unknown = [name for name in self.stored if name != "base" and name not in importer.done]
        print(f"  imports    {len(importer.done)} acknowledged, {len(lost)} of them lost; {len(unknown)} stored but not"
              f" acknowledged")
        if lost and self.kind in LOSSLESS:
            self.fail(f"acknowledged imports were lost: {lost}")
        if self.kind == "lagging" and len(lost) < MISSED_IMPORTS:
            self.fail("the replica did not lag")

    def check_views(self, responses):
        viewed = [response for response in responses if response.kind == "item"]
        sent = collections.Counter(response.item for response in viewed)
        viewed_ok = collections.Counter(response.item for response in viewed if response.status == 200)
        counted = self.count_views()
        until = time.monotonic() + COUNT_TIMEOUT
        while any(viewed_ok[item] > counted[item] for item in viewed_ok) and time.monotonic() < until:
            counted = self.count_views()
        lost = sum((viewed_ok - counted).values())
        twice = sum((counted - sent).values())
        self.lost.append(f"{lost} of {sum(viewed_ok.values())} answered views")
        print(f"  views      {sum(sent.values())} requested, {sum(viewed_ok.values())} answered,"
              f" {sum(counted.values())} counted; lost {lost}, counted twice {twice}")
        if twice:
            self.fail(f"{twice} views were counted twice")
        if lost and self.kind in LOSSLESS:
            self.fail(f"{lost} answered views were not counted")

    def count_views(self):
        rows = self.store.query("SELECT convert_from(id, 'UTF8'), views FROM kbase.viewed").splitlines()
        return collections.Counter({item: int(views) for item, views in (row.rsplit("|", 1) for row in rows)})

    def check_indexes(self, importer):
        for server in self.cluster.servers:
            for name in importer.tried:
                expected = self.stored.get(name, 0)
                wait_for(f"{name} in the index of {server.name}", lambda: self.total(server, name) == expected)

    @staticmethod
    def total(server, name):
        status, body = fetch(server.port, f"/api/v1/search?match=all&limit=1&q={marker_of(name)}")
        return json.loads(body)["pagination"]["total"] if status == 200 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kbase", required=True)
    parser.add_argument("--runs", type=int, default=3, help="runs per kind")
    parser.add_argument("--away", type=float, default=3, help="seconds from the kill to the promotion")
    parser.add_argument("--rate", type=int, default=200, help="requests a second")
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=", ".join(KINDS))
    options = parser.parse_args()
    unknown = set(options.kinds) - set(KINDS)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    skip_unless_complete()
    exit_on_signals()
    failures = []
    for kind in options.kinds or KINDS:
        for _ in range(options.runs):
            fault_run = FaultRun(options, kind)
            try:
                fault_run.run()
            finally:
                fault_run.cluster.end()
            fault_run.record_result()
            failures += fault_run.cluster.failures
            sys.stdout.flush()
    sys.exit(report_failures(failures))


if __name__ == "__main__":
    main()
