#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks every scene on every device against the rules of axe-core. See visits.py and browser_tools.py."""
import browser_tools
import visits
from scenes import DEVICES, SCENES, SCHEMES

CHECK = """
const [rules, done] = arguments;
const words = ({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((n) => `${n.html.slice(0, 200)} ${n.failureSummary}`).join(' | ')}`;
axe.run({ resultTypes: ['violations'], ...(rules.length > 0 && { runOnly: rules }) }).then(({ violations }) => done(violations.map(words)), (error) => done([String(error)]));
"""


class Accessibility(visits.Visits):
    def test_no_rule_is_violated(self):
        for device in ("desktop", "phone"):
            self.device(*DEVICES[device])
            for scene in SCENES:
                self.scheme("light")
                self.leave()
                SCENES[scene](self)
                self.js(RULES)
                with self.subTest(f"{scene} on {device}"):
                    self.check()
                with self.subTest(f"{scene} on {device} in dark mode"):
                    self.scheme("dark")
                    self.check("color-contrast")

    def check(self, *rules):
        """Checks the given rules; without arguments, all standard rules."""
        self.assertEqual(self.browser.execute_async_script(CHECK, rules), [])


class Accent(Accessibility):
    """With a color in which no text could be read on white."""

    settings = visits.Visits.settings + ("explorer.accent=#ffd400",)

    def test_no_rule_is_violated(self):
        for scene in ("home", "search", "filtered", "item", "operation"):
            SCENES[scene](self)
            self.js(RULES)
            for scheme in SCHEMES:
                with self.subTest(f"{scene} in {scheme} mode"):
                    self.scheme(scheme)
                    self.check("color-contrast")


if __name__ == "__main__":
    RULES = (browser_tools.install() / "node_modules/axe-core/axe.min.js").read_text(encoding="utf-8")
    visits.main()
