#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lists the reasons for which the last run of ctest in a build folder skipped tests, with the number of tests.

Usage: skipped.py BUILD_FOLDER
"""
import collections
import pathlib
import re
import sys


def main(folder):
    log = pathlib.Path(folder, "Testing", "Temporary", "LastTest.log")
    reasons = collections.Counter()
    for block in re.split(r"\n(?=\d+/\d+ Testing: )", log.read_text(encoding="utf-8", errors="replace")):
        for reason in re.findall(r"\S+:\d+: Skipped\n(.*)\n", block) or re.findall(r"^SKIP: (.*)$", block, re.M):
            reasons[reason.strip() or "no reason given"] += 1
    for reason, count in reasons.most_common():
        print(f"skipped {count}: {reason}")


if __name__ == "__main__":
    main(sys.argv[1])
