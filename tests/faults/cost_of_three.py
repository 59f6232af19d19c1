#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CPU time per request of three servers that share the load, compared with one server.

Usage: cost_of_three.py --kbase PROGRAM [--rounds 10] [--seconds 5] [--rate N] [--most 1.1]
The same mix of requests goes through haproxy, alternately to one server and to three: from clients that send
one request after the other, or at a fixed rate; then also at three times that rate to three servers, so that
each has as much load as the single one. CPU time is that of the active kbase processes, including their
background work, so the rate matters. The median over the rounds of three servers' time for the same requests
may be at most --most times that of one.
Prints the results, and the CPU time of idle servers. Exit code 77: a required program is missing.
"""
import argparse
import os
import statistics
import sys
import time

from cluster import Cluster, exit_on_signals, skip_unless_complete
from load import Load, RequestMix, failed, count_statuses, write_items
from processes import record_result, report_failures, wait_for

ITEMS = 5000
WARM_UP = 1.0  # seconds


def cpu_seconds(servers):
    ticks = 0
    for server in servers:
        with open(f"/proc/{server.process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def route_to(cluster, count):
    """Makes haproxy use the first `count` servers, and returns them."""
    for number, server in enumerate(cluster.servers):
        cluster.send_haproxy_command(f"set server kbase/{server.name} state {'ready' if number < count else 'maint'}")
    servers = cluster.servers[:count]
    wait_for("haproxy to use exactly these servers", lambda: cluster.is_served_by(servers))
    return servers


def measure(cluster, count, rate, seconds, seed):
    """Returns CPU time per request in microseconds, and requests per second."""
    servers = route_to(cluster, count)
    load = Load(cluster.front_port, rate, RequestMix("base", ITEMS), seed)
    time.sleep(WARM_UP)
    began, before = time.monotonic(), cpu_seconds(servers)
    time.sleep(seconds)
    ended, spent = time.monotonic(), cpu_seconds(servers) - before
    responses = load.responses()
    if failed(responses):
        cluster.fail(f"requests failed: {count_statuses(failed(responses))}")
    answered = sum(1 for response in responses if began <= response.began + response.seconds < ended)
    return spent / answered * 1e6, answered / (ended - began)


def measure_idle(cluster, seconds):
    """Returns the CPU time per second of an idle server, in milliseconds."""
    before = cpu_seconds(cluster.servers)
    time.sleep(seconds)
    return (cpu_seconds(cluster.servers) - before) / seconds / len(cluster.servers) * 1e3


def test(cluster, options):
    cluster.start_all()
    cluster.run_command("import", write_items(cluster.path("base.jsonl"), "base", ITEMS))
    server_count = len(cluster.servers)
    measure(cluster, server_count, options.rate, options.seconds, 0)  # warm-up of all servers
    one, same, same_load_each = (1, options.rate), (server_count, options.rate), (server_count, server_count * options.rate)
    kinds = [one, same, same_load_each] if options.rate else [one, same]
    rounds = [{kind: measure(cluster, *kind, options.seconds, seed) for kind in kinds}
              for seed in range(1, options.rounds + 1)]
    for kind in kinds:
        costs, rates = zip(*(measured[kind] for measured in rounds))
        print(f"servers {kind[0]}   CPU time per request {statistics.median(costs):.0f} us ({min(costs):.0f} to"
              f" {max(costs):.0f}), requests {statistics.median(rates):.0f}/s")
    print(f"idle        {measure_idle(cluster, options.seconds):.1f} ms of CPU time per second and server")

    def cost_ratio(kind):
        return statistics.median(measured[kind][0] / measured[one][0] for measured in rounds)

    if options.rate:
        print(f"{server_count} servers use {cost_ratio(same_load_each):.3f} times the CPU time of one server with the same load"
              " per server")
    times = cost_ratio(same)
    print(f"{server_count} servers use {times:.3f} times the CPU time of one server for the same requests")
    if times > options.most:
        cluster.fail(f"{times:.3f} is more than {options.most}")
    record_result("the requests of one server handled by three", f"nothing; {times:.2f} times the CPU time", cluster.failures)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kbase", required=True)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--rate", type=int, default=0, help="requests a second; 0: one request after the other")
    parser.add_argument("--most", type=float, default=1.1)
    options = parser.parse_args()
    skip_unless_complete()
    exit_on_signals()
    cluster = Cluster(options.kbase, 3)
    try:
        test(cluster, options)
    finally:
        cluster.end()
    sys.exit(report_failures(cluster.failures, cluster.work))


if __name__ == "__main__":
    main()
