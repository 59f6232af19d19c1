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
from load import Load, Mixed, failed, marker_of, statuses, times_of, write_items
from processes import fetch, record, report, wait_for

KINDS = ("synchronous", "asynchronous", "lagging", "frozen")
LOSES_NOTHING = ("synchronous", "frozen")
BASE, BATCH = 2000, 100  # items
ASKED = {"search": 30, "item": 30, "categories": 10, "category": 10, "popular": 6, "recent": 6, "stats": 4, "health": 4}
WELL = 4.0  # seconds before and after the fault
FINDS_WITHIN = 15.0  # seconds for servers to find the new primary, or to reject it
COUNTED_WITHIN = 20.0
UNHEARD = 3  # imports that a lagging replica does not receive
REFUSED = "it is at revision"
NEW_LINEAGE = "UPDATE kbase.store SET lineage = decode(replace(gen_random_uuid()::text, '-', ''), 'hex')"


class Importer(threading.Thread):
    """Imports small batches one after the other, and records which were reported as done."""

    def __init__(self, cluster):
        super().__init__(daemon=True)
        self.cluster = cluster
        self.done, self.tried = [], []
        self.going = True
        self.start()

    def run(self):
        while self.going:
            name = f"batch{len(self.tried)}"
            self.tried.append(name)
            source = write_items(self.cluster.path(name + ".jsonl"), name, BATCH)
            done = subprocess.run(self.cluster.command("import", source), capture_output=True, text=True, check=False)
            if done.stdout:
                self.done.append(name)

    def finish(self):
        self.going = False
        self.join()


class Scene:
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
        load = Load(cluster.front_port, self.options.rate, Mixed("base", BASE, ASKED))
        importer = Importer(cluster)
        time.sleep(WELL)
        if self.kind == "lagging":
            cluster.primary.freeze_replication()
            heard = len(importer.done)
            # The replica may have received the import that is being reported.
            wait_for("imports", lambda: len(importer.done) > heard + UNHEARD)
        killed = time.monotonic()
        self.trouble()
        promoted = time.monotonic()
        refused = self.wait_for_servers(promoted)
        back = time.monotonic()
        time.sleep(WELL)
        importer.finish()
        answers = load.answers()
        print(f"{self.kind}: {'went on' if self.kind == 'frozen' else 'promoted'} {promoted - killed:.1f} s after that, every"
              f" server ready {back - promoted:.1f} s later{', after a new lineage' if refused else ''}")
        self.tell_requests(answers, killed, back)
        self.judge_imports(importer)
        self.judge_views(answers)
        self.judge_indexes(importer)

    def record(self):
        how = "frozen" if self.kind == "frozen" else f"killed, {self.kind} replica promoted"
        record(f"PostgreSQL's primary {how}", ", ".join(self.lost), self.cluster.failures)

    def trouble(self):
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
        while time.monotonic() < promoted + FINDS_WITHIN and self.kind != "lagging":
            if all(server.is_ready() for server in cluster.servers) and cluster.is_served_by(cluster.servers):
                return False
            time.sleep(0.01)
        if self.kind == "lagging":
            wait_for("the refusal of the replica", lambda: REFUSED in cluster.log())
        if any(server.is_ready() for server in cluster.servers):
            self.fail("a server takes a replica that lacks what it has seen")
        said = next((line for line in cluster.log().splitlines() if REFUSED in line), None)
        if said is None or self.kind in LOSES_NOTHING:
            self.fail(f"servers did not find the new primary: {cluster.servers[0].obstacles()}")
        if said:
            print(f"{self.kind}: refused; /readyz says {cluster.servers[0].obstacles()}, the log"
                  f" {json.loads(said)['cause']}")
        cluster.replica.ask(NEW_LINEAGE)
        for server in cluster.servers:
            server.stop()
            server.start()
        cluster.wait_until_ready()
        return True

    def tell_requests(self, answers, killed, back):
        for kind in ASKED:
            during = [answer for answer in answers if answer.kind == kind and killed - 1 <= answer.began <= back]
            bad = sorted(answer.began + answer.seconds - killed for answer in failed(during))
            ranged = f", answered from {bad[0]:.1f} to {bad[-1]:.1f} s after it began" if bad else ""
            print(f"  {kind:10} {len(during):5} requests, {times_of(during)}; failed {len(bad)}"
                  f" {statuses(failed(during)) if bad else ''}{ranged}")
            if kind == "search":
                self.lost.insert(0, f"{len(bad)} of {len(during)} searches meanwhile")
        after = [answer for answer in answers if answer.began > back]
        if failed(after):
            self.fail(f"once every server was ready {len(failed(after))} of {len(after)} requests failed:"
                      f" {statuses(failed(after))}")

    def judge_imports(self, importer):
        rows = self.store.ask("SELECT split_part(convert_from(id, 'UTF8'), '-', 1), count(*) FROM kbase.items"
                              " GROUP BY 1").splitlines()
        self.kept = {name: int(count) for name, count in (row.split("|") for row in rows)}
        halves = {name: count for name, count in self.kept.items() if name != "base" and count != BATCH}
        if halves:
            self.fail(f"there are halves of batches: {halves}")
        lost = [name for name in importer.done if name not in self.kept]
        self.lost.append(f"{len(lost)} of {len(importer.done)} imports that were acknowledged")
        unknown = [name for name in self.kept if name != "base" and name not in importer.done]
        print(f"  imports    {len(importer.done)} acknowledged, lost {len(lost)} of them; there without having been"
              f" acknowledged: {len(unknown)}")
        if lost and self.kind in LOSES_NOTHING:
            self.fail(f"acknowledged imports were lost: {lost}")
        if self.kind == "lagging" and len(lost) < UNHEARD:
            self.fail("the replica did not lag")

    def judge_views(self, answers):
        viewed = [answer for answer in answers if answer.kind == "item"]
        sent = collections.Counter(answer.item for answer in viewed)
        shown = collections.Counter(answer.item for answer in viewed if answer.status == 200)
        counted = self.counted()
        until = time.monotonic() + COUNTED_WITHIN
        while any(shown[item] > counted[item] for item in shown) and time.monotonic() < until:
            counted = self.counted()
        lost = sum((shown - counted).values())
        twice = sum((counted - sent).values())
        self.lost.append(f"{lost} of {sum(shown.values())} views that were answered")
        print(f"  views      {sum(sent.values())} asked for, {sum(shown.values())} answered,"
              f" {sum(counted.values())} counted; lost {lost}, counted twice {twice}")
        if twice:
            self.fail(f"{twice} views were counted twice")
        if lost and self.kind in LOSES_NOTHING:
            self.fail(f"{lost} views that were answered are not counted")

    def counted(self):
        rows = self.store.ask("SELECT convert_from(id, 'UTF8'), views FROM kbase.viewed").splitlines()
        return collections.Counter({item: int(views) for item, views in (row.rsplit("|", 1) for row in rows)})

    def judge_indexes(self, importer):
        for server in self.cluster.servers:
            for name in importer.tried:
                wanted = self.kept.get(name, 0)
                wait_for(f"{name} in the index of {server.name}", lambda: self.total(server, name) == wanted)

    @staticmethod
    def total(server, name):
        status, body = fetch(server.port, f"/api/v1/search?match=all&limit=1&q={marker_of(name)}")
        return json.loads(body)["pagination"]["total"] if status == 200 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kbase", required=True)
    parser.add_argument("--runs", type=int, default=3, help="of each kind")
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
            scene = Scene(options, kind)
            try:
                scene.run()
            finally:
                scene.cluster.end()
            scene.record()
            failures += scene.cluster.failures
            sys.stdout.flush()
    sys.exit(report(failures))


if __name__ == "__main__":
    main()
