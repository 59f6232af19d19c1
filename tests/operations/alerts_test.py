#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks config/monitoring/alerts.yml with Debian's promtool and runs alerts_test.yml on it.

Exit code 77: promtool is missing; it is in the package prometheus.
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
        print("skipped: promtool is missing; install Debian's package prometheus")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        cases = pathlib.Path(folder) / "alerts_test.yml"
        cases.write_text((HERE / "alerts_test.yml").read_text().replace("[ALERTS]", f"[{ALERTS}]"))
        checked = subprocess.run([promtool, "check", "rules", str(ALERTS)], check=False)
        return checked.returncode or subprocess.run([promtool, "test", "rules", str(cases)], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
