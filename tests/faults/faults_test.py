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

PASSING = "from processes import record_result; record_result('a server was killed', 'nothing', [])"
FAILING = "from processes import record_result; record_result('a disk was full', '3 views', ['3 views were lost']); raise SystemExit(1)"


def run(script):
    """Runs a fault test that consists of this Python code. Returns its rows, and whether a guarantee was violated."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "test.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"import sys; sys.path.insert(0, {faults.HERE!r})\n{script}\n")
        with mock.patch.dict(faults.FAULT_TESTS, {"one": faults.FaultTest(path, "", "")}):
            test = faults.TestRun("one", "", folder, folder)
        return [row[1:3] + row[4:] for row in test.rows()], test.has_failed()


class FaultTestReport(unittest.TestCase):
    def test_reports_a_test_without_loss_as_passed(self):
        self.assertEqual(run(PASSING), ([("a server was killed", "nothing", "passed")], False))

    def test_names_the_loss_of_a_failed_test(self):
        self.assertEqual(run(FAILING), ([("a disk was full", "3 views", "**failed**: 3 views were lost")], True))

    def test_adds_the_guarantee_only_without_failures(self):
        script = "from processes import record_result; record_result('a disk was full', {}, {}, 'no content')"
        self.assertEqual([row[1] for row in run(script.format("'2 views'", "[]"))[0]], ["2 views, no content"])
        self.assertEqual([row[1] for row in run(script.format("''", "[]"))[0]], ["no content"])
        self.assertEqual([row[1] for row in run(script.format("'2 views'", "['an item is gone']"))[0]], ["2 views"])
        self.assertEqual([row[1] for row in run(script.format("''", "['an item is gone']"))[0]], ["see the failures"])

    def test_reports_a_test_that_exits_early_as_failed(self):
        self.assertEqual(run("print('no server'); raise SystemExit(1)"),
                         ([("exited early", "", "**failed**: no server")], True))

    def test_keeps_earlier_results_of_a_test_that_exits_early(self):
        rows, has_failed = run(PASSING + "; print('gone'); raise SystemExit(2)")
        self.assertEqual([row[2] for row in rows], ["passed", "**failed**: gone"])
        self.assertTrue(has_failed)

    def test_reports_a_skipped_test_as_skipped(self):
        self.assertEqual(run(f"print('SKIPPED: no Redis'); raise SystemExit({SKIPPED})"),
                         ([("skipped", "", "SKIPPED: no Redis")], False))


class AllFaultTests(unittest.TestCase):
    def test_an_unknown_name_lists_all_tests(self):
        result = subprocess.run([sys.executable, os.path.join(faults.HERE, "faults.py"), "--build", ".", "nothing"],
                               capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn("unknown: nothing; the tests are kill, ", result.stderr)

    def test_every_script_exists(self):
        for test in faults.FAULT_TESTS.values():
            self.assertTrue(os.path.exists(os.path.join(faults.HERE, test.script)), test.script)


if __name__ == "__main__":
    unittest.main()
