#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds words that docs/architecture/glossary.md replaces by terms of the field. Prints file, line, the word and the term.

Usage: words_test.py [FILE...]  (default: every text file of the repository)

Exit code 1: a banned word was found.
"""
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# Word or phrase (a regular expression, matched as whole words, in any case) and what to write.
BANNED = [
    (r"whoever", "the caller, the client, any process that ..."),
    (r"anew", "again"),
    (r"nobody", "no one, no client, no caller"),
    (r"beside", "next to, together with, in addition to"),
    (r"lends?|lent|lending|loans?", "borrow, pass; view, valid until"),
    (r"ledgers?", "rate limiter"),
    (r"lineages?", "store id"),
    (r"accus(?:e|es|ed|ing)", "report a contract violation"),
    (r"drills?", "fault-injection test"),
    (r"mend(?:s|ed|ing)?", "fix"),
    (r"(?-i:(?:is|are|of) none)", "there is no, has no"),
    (r"stands? in for", "falls back, replaces"),
    (r"parted by", "separated by"),
    (r"passed over", "skipped"),
    (r"patience", "timeout"),
    (r"hoards?", "memory hog, keep"),
    (r"mishaps?", "crash"),
    (r"desks?", "client, service"),
    (r"short cuts?", "forbidden dependency"),
    (r"newcomers?", "new client, new subject, new contributor"),
    (r"house", "the codebase, the project"),
    (r"(?:make|no|has) room|rooms", "free space, capacity; module"),
    (r"tell|tells|told", "notify, report, return, pass"),
]

# Comments that begin so have no subject or no verb.
COMMENT_START = re.compile(r"^\s*(?://[/!]?<?|/\*+|\*)\s*(Of|The same|As above|Likewise|Ditto)\b")

# Texts that keep a word: names of the C header 1.0, of stored data and of other programs, and quotations of both.
ALLOWED = [
    (r"^(plugins/sdk/include/|ports/definitions/|tests/plugins/header/|plugins/examples/)", r"lineages?"),
    (r"^(plugins/sdk/|plugins/conformance/|app/plugin_host/|app/plugin_check/|tests/plugins/|docs/plugins/|docs/architecture/)", r"lineage"),
    (r"^(adapters/(sqlite|postgres|opensearch|content)|docs/operations/postgres|tests/(adapters|e2e|faults))", r"lineage"),
    (r"^adapters/postgres/", r"anew"),
    (r"^(adapters/curl|tests/e2e)/", r"NOBODY"),
    (r"^tests/adapters/", r"house"),  # in texts that are searched
    (r"^docs/plugins/http-client\.md", r"lent"),
    (r"^plugins/examples/rust_tantivy/", r"is none"),  # Option::is_none_or
]
SKIPPED = re.compile(r"^(LICENSE|tests/plugins/earlier/|tests/architecture/(words_test\.py|CMakeLists\.txt)|docs/architecture/glossary\.md|"
                     r"docs/decisions/|tests/fuzz/corpus/|tests/data/|tests/support/corpus)|\.(jsonl|svg|png|gz)$")
TERM = re.compile(r"(?<![A-Za-z])(?:" + "|".join(f"({pattern})" for pattern, _ in BANNED) + r")(?![A-Za-z])", re.I)


def words_of(line):
    """The line with identifiers split into words: still_lent and LentRows have the word lent."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", line.replace("_", " "))


def findings(name, text):
    for number, line in enumerate(text.splitlines(), 1):
        for found in TERM.finditer(words_of(line)):
            word = found[0]
            if any(re.match(place, name) and re.fullmatch(kept, word, re.I) for place, kept in ALLOWED):
                continue
            yield number, word, BANNED[found.lastindex - 1][1]
        start = COMMENT_START.match(line)
        if start:
            yield number, start[1] + " ... (comment)", "a sentence with a subject and a verb"


def source_files():
    """The repository's files; build folders and hidden folders are not part of it."""
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if not name.startswith((".", "build", "__pycache__"))]
        yield from (os.path.relpath(os.path.join(folder, name), ROOT) for name in files)


def main(arguments):
    names = arguments or sorted(source_files())
    count = 0
    for name in names:
        path = ROOT / name
        if SKIPPED.search(name) or not path.is_file():
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        for number, word, instead in findings(name, text):
            print(f"{name}:{number}: \"{word}\": write {instead}")
            count += 1
    if count:
        sys.exit(f"{count} banned words; docs/architecture/glossary.md has the terms")


if __name__ == "__main__":
    main(sys.argv[1:])
