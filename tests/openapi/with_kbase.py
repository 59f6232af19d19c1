#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Starts a kbase, runs a command with it, and exits with the command's exit code.

    with_kbase.py PROGRAM COMMAND...

The kbase serves the manual, uses the fake upstream services, has accounts and insights, and has no limits except for one key. In the
command, {URL} is replaced by the base URL, {KEY} by a key with the default scopes, {TIGHT_KEY} by a key whose plan
allows 20 requests per minute, {READ_KEY} by a key that only has the scope "read", {WRITE_KEY} by one that also has the
scope "write", and {OUTBOX} by the folder of the mails.
"""
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
from served_kbase import MANUAL, NO_LIMITS, ServedKbase  # noqa: E402
from fake_upstreams import FakeUpstreams  # noqa: E402

ACCOUNTS = ("insights.enabled=true", "signup.mode=open", "mail.plugin=outbox", "mail.config.from=docs@example.org")
TIGHT = ("plans.tight.per_minute=20", "plans.tight.per_day=1000000")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    program, command = sys.argv[1], sys.argv[2:]
    with FakeUpstreams() as upstreams, ServedKbase(program, *NO_LIMITS, *TIGHT, *ACCOUNTS, *upstreams.settings()) as kbase:
        kbase.run("import", str(MANUAL))
        words = {"{KEY}": kbase.key("everything", "wide"), "{TIGHT_KEY}": kbase.key("few requests", "tight"),
                 "{READ_KEY}": kbase.key("reads alone", "wide", "--scopes", "read"),
                 "{WRITE_KEY}": kbase.key("writes", "wide", "--scopes", "read,write"), "{OUTBOX}": kbase.outbox}
        kbase.serve()
        words["{URL}"] = kbase.url
        return subprocess.run([replace_words(word, words) for word in command], check=False).returncode


def replace_words(word, words):
    for name, value in words.items():
        word = word.replace(name, value)
    return word


if __name__ == "__main__":
    sys.exit(main())
