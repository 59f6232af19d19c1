#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Restarts every server of a cluster, one after the other, under load: tests that no request fails.

Usage: rolling_restart.py --kbase PROGRAM [--servers 3] [--rounds 2] [--rate 300] [--items 5000] [--kill]
                          [--opensearch URL]
Requests arrive at a fixed rate, even if earlier ones are unanswered: half searches, the rest items and
categories. Each server in turn gets SIGTERM and is restarted once it has exited. The next server follows when
haproxy sends requests to all of them again. No request may fail. With --kill, servers are killed (kill -9), and
failures are reported but allowed. Searches use an index in each server, or the OpenSearch at URL. Prints the
times of restarts and requests. Exit code 77: a required program is missing.
"""
import argparse
import sys
import time

from cluster import Cluster, exit_on_signals, skip_unless_complete
from load import Load, Mixed, failed, statuses, times_of, write_items
from processes import record, report, wait_for

WELL = 3.0  # seconds before the first and after the last restart


def roll(cluster, kill):
    """Restarts every server. Returns the times to stop and to receive requests again."""
    took = []
    for server in cluster.servers:
        began = time.monotonic()
        if kill:
            server.kill()
        else:
            server.stop()
        ended = time.monotonic()
        server.start()
        wait_for(f"{server.name}, to be asked again,", lambda: cluster.is_served_by(cluster.servers), 60)
        took.append((ended - began, time.monotonic() - ended))
    return took


def test(cluster, options):
    cluster.start_all()
    cluster.run_command("import", write_items(cluster.path("base.jsonl"), "base", options.items))
    load = Load(cluster.front_port, options.rate, Mixed("base", options.items))
    time.sleep(WELL)
    began = time.monotonic()
    took = [one for _ in range(options.rounds) for one in roll(cluster, options.kill)]
    ended = time.monotonic()
    time.sleep(WELL)
    answers = load.answers()
    during = [answer for answer in answers if began <= answer.began <= ended]
    before = [answer for answer in answers if answer.began < began]
    print(f"restarts {len(took)} in {ended - began:.1f} s: ended within {max(stop for stop, _ in took):.2f} s,"
          f" asked again within {max(start for _, start in took):.2f} s")
    print(f"before   {len(before)} requests, failed {len(failed(before))}, {times_of(before)}")
    print(f"during   {len(during)} requests, failed {len(failed(during))}, {times_of(during)}")
    if failed(answers) and not options.kill:
        cluster.fail(f"{len(failed(answers))} of {len(answers)} requests failed: {statuses(failed(answers))}, the first"
                     f" {failed(answers)[0].began - began:.1f} s after the first restart")
    record(f"{len(took)} servers {'killed' if options.kill else 'restarted'} in turn, under {len(answers)} requests",
           f"{len(failed(answers))} requests", cluster.failures)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kbase", required=True)
    parser.add_argument("--servers", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--rate", type=int, default=300, help="requests a second")
    parser.add_argument("--items", type=int, default=5000)
    parser.add_argument("--kill", action="store_true", help="kill -9 in place of SIGTERM")
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
