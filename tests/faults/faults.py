#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the fault-injection tests against real servers, one after the other, and reports data loss.

Usage: faults.py --build DIR [--quick] [--page FILE] [--logs DIR] [NAME...]
DIR is a build with the program, its plugins and the tests. --quick runs only tests that take a few minutes
together: kill -9, a full disk, frozen components, overload and hostile input. NAMEs select tests. Prints a
table, and with --page also writes it as a page. The output of each test goes to its own file. Exit code 1: a
guarantee was violated.
"""
import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile
import textwrap
import time

from processes import RECORD_FILE, SKIPPED

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "support"))
from machine import machine, now  # noqa: E402

# Arguments in quick runs (None: not run) and in full runs. {build} is the build folder.
FaultTest = collections.namedtuple("FaultTest", "script quick full", defaults=(None, ""))
KBASE = "--kbase {build}/app/kbase "
FAULT_TESTS = {
    "kill": FaultTest("kill.py", KBASE + "--times 30", KBASE),
    "full-disk": FaultTest("full_disk.py", KBASE, KBASE),
    "redis": FaultTest("rate_limiter_outage.py", KBASE + "--times 3 frozen killed full", KBASE + "--times 2"),
    "postgres": FaultTest("primary_killed.py", KBASE + "--runs 1 synchronous frozen", KBASE + "--runs 1"),
    "services": FaultTest("external_soak.py", KBASE + "--minutes 1 --slack 2", KBASE + "--slack 2"),
    "restart": FaultTest("rolling_restart.py", KBASE + "--rounds 1 --rate 100", KBASE + "--rounds 1"),
    "overload": FaultTest("overload.py", KBASE + "--load {build}/tests/bench/http_load",
                      KBASE + "--load {build}/tests/bench/http_load"),
    "hostile": FaultTest("hostile.py", "--tests {build}/tests/edge/program/kbase_program_edge_test",
                     "--tests {build}/tests/edge/program/kbase_program_edge_test --requests 200000"),
    "backup": FaultTest("backup_under_load.py", None, KBASE),
    "balanced": FaultTest("balanced.py", None, KBASE),
    "rate-limiter-memory": FaultTest("rate_limiter_exactness.py", None, "--tools {build}/tests/faults --plugin {build}/plugins/kbase-memory.so memory"),
    "rate-limiter-redis": FaultTest("rate_limiter_exactness.py", None, "--tools {build}/tests/faults --plugin {build}/plugins/kbase-redis.so redis"),
    "import": FaultTest("import_while_serving.py", None, KBASE + "--rounds 1 --times 2"),
    "mails": FaultTest("mails.py", KBASE + "--people 200", KBASE),
    "accounts": FaultTest("enumeration.py", KBASE + "--addresses 200 --guesses 1000", KBASE),
    "accounts-of-three": FaultTest("accounts_of_three.py", None, KBASE),
    "three": FaultTest("cost_of_three.py", None, KBASE + "--rounds 3 --most 1.5"),
}
COLUMNS = ("Test", "Fault", "Loss", "Duration", "Result")
FRONT_MATTER = """---
title: "Reliability: results of the fault-injection tests"
tags: [reliability, test, kill, full disk, frozen, overload, hostile, crash]
author: kbase
created: {day}
updated: {day}
related: [durability, scaling, limits, testing]
---

"""
ABOUT = ("Real servers are killed, frozen, overloaded and given a full disk. Each test then checks the documented guarantees. "
         "Written by `{command}` on {date}, in {minutes:.0f} minutes on {machine}; load average before the run: {load:.1f}. "
         "Durations are of whole tests.")


def report_progress(text):
    print(f"faults: {text}", file=sys.stderr, flush=True)


class TestRun:
    """Finished test: rows of the table."""

    def __init__(self, name, arguments, build, logs):
        self.name = name
        self.log = os.path.join(logs, f"{name}.log")
        records = os.path.join(logs, f"{name}.json")
        if os.path.exists(records):
            os.remove(records)
        self.began = time.time()
        command = ["setpriv", "--pdeathsig=TERM", "--", sys.executable, os.path.join(HERE, FAULT_TESTS[name].script),
                   *arguments.format(build=build).split()]
        with open(self.log, "w", encoding="utf-8") as log:
            self.code = subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, check=False,
                                       env={**os.environ, RECORD_FILE: records}).returncode
        self.seconds = time.time() - self.began
        self.records = []
        if os.path.exists(records):
            with open(records, encoding="utf-8") as lines:
                self.records = [json.loads(line) for line in lines]

    def last_line(self):
        with open(self.log, encoding="utf-8", errors="replace") as log:
            lines = log.read().strip().splitlines()
        return lines[-1] if lines else "no output"

    def has_failed(self):
        return self.code not in (0, SKIPPED) or any(each["failures"] for each in self.records)

    def rows(self):
        rows, since = [], self.began
        for each in self.records:
            result = "**failed**: " + "; ".join(each["failures"]) if each["failures"] else "passed"
            rows.append((self.name, each["fault"], each["loss"], f"{each['at'] - since:.0f} s", result))
            since = each["at"]
        if self.code == SKIPPED:
            rows.append((self.name, "skipped", "", "", self.last_line()))
        elif self.has_failed() and not any(each["failures"] for each in self.records):
            rows.append((self.name, "exited early", "", f"{self.seconds:.0f} s", f"**failed**: {self.last_line()}"))
        return rows


def format_table(rows):
    lines = [COLUMNS, ["---"] * len(COLUMNS), *rows]
    return "".join("| " + " | ".join(str(cell).replace("|", "/") for cell in line) + " |\n" for line in lines)


def select_tests(options):
    """Returns the names and arguments of the selected tests."""
    names = options.names or [name for name, test in FAULT_TESTS.items() if not options.quick or test.quick is not None]
    return {name: FAULT_TESTS[name].quick if options.quick and FAULT_TESTS[name].quick is not None else FAULT_TESTS[name].full
            for name in names}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--page", help="write the table to this page")
    parser.add_argument("--logs", help="a folder for the output of each test")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(FAULT_TESTS))
    options = parser.parse_args()
    unknown = set(options.names) - set(FAULT_TESTS)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; the tests are {', '.join(FAULT_TESTS)}")
    logs = options.logs or tempfile.mkdtemp(prefix="kbase-faults-")
    os.makedirs(logs, exist_ok=True)
    began, load, date = time.monotonic(), os.getloadavg()[0], now()
    runs = []
    for name, arguments in select_tests(options).items():
        report_progress(name)
        runs.append(TestRun(name, arguments, os.path.abspath(options.build), logs))
    text = format_table([row for run in runs for row in run.rows()])
    print(text, end="")
    if options.page:
        command = " ".join(["./dev faults", *(["--quick"] if options.quick else []), *options.names])
        about = ABOUT.format(command=command, date=date, machine=machine(), load=load, minutes=(time.monotonic() - began) / 60)
        with open(options.page, "w", encoding="utf-8") as page:
            page.write(FRONT_MATTER.format(day=date[:10]) + textwrap.fill(about, 120, break_on_hyphens=False) + "\n\n" + text)
    failed = [run.name for run in runs if run.has_failed()]
    report_progress(f"the output of each test is in {logs}" + (f"; failed: {', '.join(failed)}" if failed else ""))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
