#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Has Debian's promtool read config/monitoring/alerts.yml and play alerts_test.yml to it.

Exit code 77: promtool is not here; the package prometheus has it.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ALERTS = HERE.parents[1] / "config/monitoring/alerts.yml"


def main():
    promtool = shutil.which("promtool")
    if promtool is None:
        print("skipped: there is no promtool; Debian's package prometheus has it")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        cases = pathlib.Path(folder) / "alerts_test.yml"
        cases.write_text((HERE / "alerts_test.yml").read_text().replace("[ALERTS]", f"[{ALERTS}]"))
        checked = subprocess.run([promtool, "check", "rules", str(ALERTS)], check=False)
        return checked.returncode or subprocess.run([promtool, "test", "rules", str(cases)], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
