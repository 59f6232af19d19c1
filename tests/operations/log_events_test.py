#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares docs/operations/log-events.md with the sources: every logged event is documented with its level, and
every documented event is logged.

    log_events_test.py [TOP]
"""
import pathlib
import re
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
PAGE = TOP / "docs/operations/log-events.md"
MODULES = ["domain", "ports", "adapters", "plugins", "app"]
NOT_SHIPPED = ["plugins/examples", "plugins/conformance", "plugins/sdk/template", "app/plugin_check"]

LEVELS = {"Debug": "debug", "Info": "info", "Warning": "warning", "Error": "error"}
# A level, followed by the event as the next argument; if a condition selects the level, both levels.
LOG_CALL = re.compile(r'LogLevel::(\w+)(?:\s*:\s*(?:ports::)?LogLevel::(\w+))?\s*,\s*(?:[^,;"]*\?[^,;"]*)?"([a-z_]+\.[a-z_]+)"')
CALL = re.compile(r"\blog(?:_|\(\))?(?:\.|->)log\(")
# Calls of functions that forward an event named by the caller; otherwise these events would be missed.
FORWARDED = re.compile(r'\b(?:(?:say|log_failure)\(|FailureStreak \w+\{)\s*"([a-z_]+\.[a-z_]+)"')
# Default event of a function whose caller may omit it.
DEFAULT_EVENT = re.compile(r':\s*"([a-z_]+\.[a-z_]+)",\s*to_valid_utf8')
# Calls whose event is not a literal. The patterns above or the callers cover each of them.
INDIRECT = {"app/plugin_host/host_table.cpp": 1, "app/runtime/log_throttle.hpp": 1,
            "adapters/native_index/commits/background_merger.cpp": 1}


def sources():
    for module in MODULES:
        for path in sorted((TOP / module).rglob("*.[ch]pp")):
            name = path.relative_to(TOP).as_posix()
            if not name.startswith(tuple(NOT_SHIPPED)):
                yield name, path.read_text(encoding="utf-8")


def logged():
    """Returns the levels of each event, and where it is logged."""
    events = {}
    for name, text in sources():
        for match in LOG_CALL.finditer(text):
            levels = {LEVELS[level] for level in match.group(1, 2) if level}
            events.setdefault(match.group(3), [set(), name])[0].update(levels)
        for pattern in (FORWARDED, DEFAULT_EVENT):
            for match in pattern.finditer(text):
                events.setdefault(match.group(1), [set(), name])
    return events


def documented():
    rows = re.findall(r"^\| `([a-z_]+\.[a-z_]+)` \| ([^|]*) \|(.*)\|$", PAGE.read_text(encoding="utf-8"), re.M)
    return {event: (levels, rest) for event, levels, rest in rows}


class LogEvents(unittest.TestCase):
    def test_every_logged_event_is_documented(self):
        missing = {event: where for event, (_, where) in logged().items() if event not in documented()}
        self.assertEqual(missing, {}, f"document them in {PAGE.relative_to(TOP)}")

    def test_every_documented_event_is_logged(self):
        self.assertEqual(set(documented()) - set(logged()), set(), "they are no longer logged")

    def test_documented_levels_match_the_sources(self):
        for event, (levels, where) in logged().items():
            if levels and event in documented():
                self.assertEqual({level.strip() for level in documented()[event][0].split(",")}, levels,
                                 f"{event}, logged in {where}")

    def test_every_event_has_a_meaning_and_a_remedy(self):
        for event, (_, rest) in documented().items():
            cells = [cell.strip() for cell in rest.split("|")]
            self.assertEqual(len(cells), 3, event)
            self.assertTrue(cells[1] and cells[2], event)

    def test_every_log_call_names_its_event(self):
        """Finds log calls whose event the patterns cannot see."""
        hidden = {}
        for name, text in sources():
            for call in CALL.finditer(text):
                if not LOG_CALL.search(text[call.end():call.end() + 160]):
                    hidden[name] = hidden.get(name, 0) + 1
        self.assertEqual(hidden, INDIRECT)


if __name__ == "__main__":
    unittest.main()
