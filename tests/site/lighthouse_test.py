#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The audits of Lighthouse, on a phone as Lighthouse simulates it. See visits.py and browser_tools.py."""
import json
import os
import subprocess

import browser_tools
import visits
from scenes import PAGES

MIN_SCORE = 0.95
# The score of performance depends on the machine, so it is printed. Its parts that do not are in budget_test.py.
CHECKED = ("accessibility", "best-practices", "seo")
# Results are not for search engines, so one audit of them fails by intention.
NOT_FOR_SEARCH_ENGINES = ("search",)


class Lighthouse(visits.Visits):
    def test_the_audits_pass(self):
        for name in ("home", "ask", "search", "item"):
            with self.subTest(name):
                report = self.audit(PAGES[name])
                scores = {key: category["score"] for key, category in report["categories"].items()}
                print(f"\n{name}: {scores}", flush=True)
                failed = [f"{audit['id']}: {audit['title']}" for audit in report["audits"].values()
                          if audit["score"] is not None and audit["score"] < 0.9]
                for key in CHECKED:
                    if key != "seo" or name not in NOT_FOR_SEARCH_ENGINES:
                        self.assertGreaterEqual(scores[key], MIN_SCORE, failed)

    def audit(self, address):
        done = subprocess.run([TOOLS / "node_modules/.bin/lighthouse", self.server + address, "--quiet", "--output=json",
                               "--chrome-flags=--headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage"],
                              check=True, stdout=subprocess.PIPE, text=True, env=os.environ | {"CHROME_PATH": visits.CHROMIUM})
        return json.loads(done.stdout)


if __name__ == "__main__":
    TOOLS = browser_tools.install()
    visits.main()
