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
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from stand_ins import StandIns  # noqa: E402

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
PLANS = [
    "plans.public.per_minute=1000000", "plans.public.per_day=10000000",
    "plans.wide.per_minute=1000000", "plans.wide.per_day=10000000", "plans.wide.llm_tokens_per_day=0",
    "plans.tight.per_minute=20", "plans.tight.per_day=1000000",
]


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    program, command = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory(prefix="kbase-openapi-") as folder, StandIns() as services:
        sets = [f"data_dir={folder}/data", "server.port=0", "logging.level=error",
                "server.max_queue_time=10s",  # a busy machine is no overload
                *PLANS, *services.settings()]
        options = [word for value in sets for word in ("--set", value)]

        def run(*words):
            done = subprocess.run([program, *words, *options], check=True, stdout=subprocess.PIPE, text=True)
            return done.stdout

        def key(name, plan, *more):
            printed = run("keys", "create", "--name", name, "--plan", plan, *more)
            return next(word for word in printed.split() if word.startswith("kb_"))

        run("import", str(DOCS))
        words = {"{KEY}": key("everything", "wide"), "{TIGHT_KEY}": key("few requests", "tight"),
                 "{READ_KEY}": key("reads alone", "wide", "--scopes", "read")}
        server = subprocess.Popen([program, "serve", *options], stdout=subprocess.PIPE, text=True)
        try:
            words["{URL}"] = server.stdout.readline().strip().removeprefix("listening on ")
            if not words["{URL}"]:
                sys.exit("kbase does not serve")
            return subprocess.run([replaced(word, words) for word in command], check=False).returncode
        finally:
            server.terminate()
            server.wait(timeout=30)


def replaced(word, words):
    for name, value in words.items():
        word = word.replace(name, value)
    return word


if __name__ == "__main__":
    sys.exit(main())
