#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds docs/operations/log-events.md against the sources: every event that is logged is documented with its level, and
every documented one is logged.

    log_events_test.py [TOP]
"""
import pathlib
import re
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
PAGE = TOP / "docs/operations/log-events.md"
ROOMS = ["domain", "ports", "adapters", "plugins", "app"]
NOT_SHIPPED = ["plugins/examples", "plugins/conformance", "plugins/sdk/template", "app/plugin_check"]

LEVELS = {"Debug": "debug", "Info": "info", "Warning": "warning", "Error": "error"}
# A level, and the event that follows as the next argument; where a condition chooses the level, both its ends.
SAID = re.compile(r'LogLevel::(\w+)(?:\s*:\s*(?:ports::)?LogLevel::(\w+))?\s*,\s*(?:[^,;"]*\?[^,;"]*)?"([a-z_]+\.[a-z_]+)"')
CALL = re.compile(r"\blog(?:_|\(\))?(?:\.|->)log\(")
# What hands on an event that its callers name, for want of which they would be missed.
HANDED_ON = re.compile(r'\bsay\(\s*"([a-z_]+\.[a-z_]+)"')
# The event of whoever says something without one.
OTHERWISE = re.compile(r':\s*"([a-z_]+\.[a-z_]+)",\s*legible')
# Calls whose event is no text, each accounted for above or by its callers.
INDIRECT = {"app/plugin_host/host_table.cpp": 1, "adapters/native_index/commits/background_merger.cpp": 1}


def sources():
    for room in ROOMS:
        for path in sorted((TOP / room).rglob("*.[ch]pp")):
            name = path.relative_to(TOP).as_posix()
            if not name.startswith(tuple(NOT_SHIPPED)):
                yield name, path.read_text(encoding="utf-8")


def logged():
    """The levels of each event, and where it is said."""
    events = {}
    for name, text in sources():
        for match in SAID.finditer(text):
            levels = {LEVELS[level] for level in match.group(1, 2) if level}
            events.setdefault(match.group(3), [set(), name])[0].update(levels)
        for pattern in (HANDED_ON, OTHERWISE):
            for match in pattern.finditer(text):
                events.setdefault(match.group(1), [set(), name])
    return events


def documented():
    rows = re.findall(r"^\| `([a-z_]+\.[a-z_]+)` \| ([^|]*) \|(.*)\|$", PAGE.read_text(encoding="utf-8"), re.M)
    return {event: (levels, rest) for event, levels, rest in rows}


class LogEvents(unittest.TestCase):
    def test_each_that_is_logged_is_documented(self):
        missing = {event: where for event, (_, where) in logged().items() if event not in documented()}
        self.assertEqual(missing, {}, f"name them in {PAGE.relative_to(TOP)}")

    def test_each_that_is_documented_is_logged(self):
        self.assertEqual(set(documented()) - set(logged()), set(), "they are logged no more")

    def test_levels_are_those_of_the_source(self):
        for event, (levels, where) in logged().items():
            if levels and event in documented():
                self.assertEqual({level.strip() for level in documented()[event][0].split(",")}, levels,
                                 f"{event}, said in {where}")

    def test_each_has_a_meaning_and_a_remedy(self):
        for event, (_, rest) in documented().items():
            cells = [cell.strip() for cell in rest.split("|")]
            self.assertEqual(len(cells), 3, event)
            self.assertTrue(cells[1] and cells[2], event)

    def test_no_call_hides_its_event(self):
        """A call of the log whose event this test cannot see would escape it."""
        hidden = {}
        for name, text in sources():
            for call in CALL.finditer(text):
                if not SAID.search(text[call.end():call.end() + 160]):
                    hidden[name] = hidden.get(name, 0) + 1
        self.assertEqual(hidden, INDIRECT)


if __name__ == "__main__":
    unittest.main()
