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
from load import Load, RequestMix, failed, count_statuses, format_times, write_items
from processes import record_result, report_failures, wait_for

STEADY_TIME = 3.0  # seconds before the first and after the last restart


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
        wait_for(f"{server.name} to receive requests again", lambda: cluster.is_served_by(cluster.servers), 60)
        took.append((ended - began, time.monotonic() - ended))
    return took


def test(cluster, options):
    cluster.start_all()
    cluster.run_command("import", write_items(cluster.path("base.jsonl"), "base", options.items))
    load = Load(cluster.front_port, options.rate, RequestMix("base", options.items))
    time.sleep(STEADY_TIME)
    began = time.monotonic()
    took = [one for _ in range(options.rounds) for one in roll(cluster, options.kill)]
    ended = time.monotonic()
    time.sleep(STEADY_TIME)
    responses = load.responses()
    during = [response for response in responses if began <= response.began <= ended]
    before = [response for response in responses if response.began < began]
    print(f"restarts {len(took)} in {ended - began:.1f} s; stopped within {max(stop for stop, _ in took):.2f} s,"
          f" received requests again within {max(start for _, start in took):.2f} s")
    print(f"before   {len(before)} requests, failed {len(failed(before))}, {format_times(before)}")
    print(f"during   {len(during)} requests, failed {len(failed(during))}, {format_times(during)}")
    if failed(responses) and not options.kill:
        cluster.fail(f"{len(failed(responses))} of {len(responses)} requests failed: {count_statuses(failed(responses))}, the first"
                     f" {failed(responses)[0].began - began:.1f} s after the first restart")
    record_result(f"{len(took)} servers {'killed' if options.kill else 'restarted'} in turn, under {len(responses)} requests",
                  f"{len(failed(responses))} requests", cluster.failures)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kbase", required=True)
    parser.add_argument("--servers", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--rate", type=int, default=300, help="requests a second")
    parser.add_argument("--items", type=int, default=5000)
    parser.add_argument("--kill", action="store_true", help="kill -9 instead of SIGTERM")
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
