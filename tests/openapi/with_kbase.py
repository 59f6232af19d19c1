#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a command beside a kbase of its own, and ends with its exit code.

    with_kbase.py PROGRAM COMMAND...

The kbase serves the manual, asks the stand-ins of the services outside, and lets everybody call as often as they like,
but for one key. In the command's words {URL} stands for the base URL, {KEY} for a key that may do everything,
{TIGHT_KEY} for one whose plan allows 20 requests a minute, and {READ_KEY} for one with the scope "read" alone.
"""
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
from served_kbase import MANUAL, NO_LIMITS, ServedKbase  # noqa: E402
from stand_ins import StandIns  # noqa: E402

TIGHT = ("plans.tight.per_minute=20", "plans.tight.per_day=1000000")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    program, command = sys.argv[1], sys.argv[2:]
    with StandIns() as services, ServedKbase(program, *NO_LIMITS, *TIGHT, *services.settings()) as kbase:
        kbase.run("import", str(MANUAL))
        words = {"{KEY}": kbase.key("everything", "wide"), "{TIGHT_KEY}": kbase.key("few requests", "tight"),
                 "{READ_KEY}": kbase.key("reads alone", "wide", "--scopes", "read")}
        kbase.serve()
        words["{URL}"] = kbase.url
        return subprocess.run([replaced(word, words) for word in command], check=False).returncode


def replaced(word, words):
    for name, value in words.items():
        word = word.replace(name, value)
    return word


if __name__ == "__main__":
    sys.exit(main())
