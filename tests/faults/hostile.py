#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sends the program what no client should send: runs tests/edge/program as a fault test.

Usage: hostile.py --tests PROGRAM [--requests 20000]
--tests is kbase_program_edge_test. It runs every attack that stops or hangs an unmodified Pistache server,
sends every raw request of the edge tests, and runs many clients that send, pipeline and disconnect at random.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

from processes import record_result, report_failures

TEST_FILTER = "-*HarmPlainPistache*"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tests", required=True)
    parser.add_argument("--requests", type=int, default=20_000, help="requests of the random clients")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kbase-hostile-") as folder:
        results_file = os.path.join(folder, "results_file.json")
        subprocess.run([options.tests, f"--gtest_filter={TEST_FILTER}", f"--gtest_output=json:{results_file}", "--gtest_brief=1"],
                       check=False, env={**os.environ, "KBASE_EDGE_LOAD": str(options.requests)})
        if not os.path.exists(results_file):
            sys.exit("hostile: the tests exited early")
        with open(results_file, encoding="utf-8") as file:
            suites = json.load(file)["testsuites"]
    tests = [test for suite in suites for test in suite["testsuite"] if test["result"] == "COMPLETED"]
    failures = [f"{test['classname']}.{test['name']}" for test in tests if test.get("failures")]
    record_result(f"{len(tests)} attacks and raw requests, and {options.requests:,} requests of clients that disconnect at random",
                  "", failures, "no response to other clients, no server process")
    sys.exit(report_failures(failures))


if __name__ == "__main__":
    main()
