# SPDX-License-Identifier: Apache-2.0
"""Tests how faults.py reports fault tests that pass, fail, end early or are skipped."""
import os
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import faults
from processes import SKIPPED

KEPT = "from processes import record; record('a server was killed', 'nothing', [])"
BROKEN = "from processes import record; record('a disk was full', '3 views', ['3 views were lost']); raise SystemExit(1)"


def run(script):
    """Runs a fault test that consists of this Python code. Returns its rows, and whether a guarantee was violated."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "test.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"import sys; sys.path.insert(0, {faults.HERE!r})\n{script}\n")
        with mock.patch.dict(faults.FAULT_TESTS, {"one": faults.FaultTest(path, "", "")}):
            test = faults.Run("one", "", folder, folder)
        return [row[1:3] + row[4:] for row in test.rows()], test.is_broken()


class ADrill(unittest.TestCase):
    def test_that_lost_nothing_kept_its_promise(self):
        self.assertEqual(run(KEPT), ([("a server was killed", "nothing", "kept")], False))

    def test_that_lost_something_says_what(self):
        self.assertEqual(run(BROKEN), ([("a disk was full", "3 views", "**broken**: 3 views were lost")], True))

    def test_promises_nothing_where_something_failed(self):
        told = "from processes import record; record('a disk was full', {}, {}, 'no content')"
        self.assertEqual([row[1] for row in run(told.format("'2 views'", "[]"))[0]], ["2 views, no content"])
        self.assertEqual([row[1] for row in run(told.format("''", "[]"))[0]], ["no content"])
        self.assertEqual([row[1] for row in run(told.format("'2 views'", "['an item is gone']"))[0]], ["2 views"])
        self.assertEqual([row[1] for row in run(told.format("''", "['an item is gone']"))[0]], ["see what failed"])

    def test_that_did_not_come_to_its_end_is_broken(self):
        self.assertEqual(run("print('no server'); raise SystemExit(1)"),
                         ([("did not come to its end", "", "**broken**: no server")], True))

    def test_that_ended_early_keeps_what_it_had_found(self):
        rows, is_broken = run(KEPT + "; print('gone'); raise SystemExit(2)")
        self.assertEqual([row[2] for row in rows], ["kept", "**broken**: gone"])
        self.assertTrue(is_broken)

    def test_that_lacks_a_part_is_not_broken(self):
        self.assertEqual(run(f"print('SKIPPED: no Redis'); raise SystemExit({SKIPPED})"),
                         ([("not run here", "", "SKIPPED: no Redis")], False))


class AllDrills(unittest.TestCase):
    def test_are_named_where_one_is_unknown(self):
        asked = subprocess.run([sys.executable, os.path.join(faults.HERE, "faults.py"), "--build", ".", "nothing"],
                               capture_output=True, text=True, check=False)
        self.assertEqual(asked.returncode, 2)
        self.assertIn("unknown: nothing; there are kill, ", asked.stderr)

    def test_are_scripts_that_are_there(self):
        for test in faults.FAULT_TESTS.values():
            self.assertTrue(os.path.exists(os.path.join(faults.HERE, test.script)), test.script)


if __name__ == "__main__":
    unittest.main()
