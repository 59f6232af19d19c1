#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks every scene on every device against the rules of axe-core. See visits.py.

KBASE_BROWSER_TOOLS  folder in which the tools of package.json are cached
"""
import os
import pathlib
import shutil
import subprocess

import visits
from scenes import DEVICES, SCENES

CHECK = """
const [rules, done] = arguments;
const words = ({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((n) => `${n.html.slice(0, 200)} ${n.failureSummary}`).join(' | ')}`;
axe.run({ resultTypes: ['violations'], ...(rules.length > 0 && { runOnly: rules }) }).then(({ violations }) => done(violations.map(words)), (error) => done([String(error)]));
"""


def load_axe():
    """Returns axe-core's script, from npm. A cached copy is used as long as the manifest is unchanged."""
    manifest = visits.HERE / "package.json"
    folder = pathlib.Path(os.environ.get("KBASE_BROWSER_TOOLS", "build/tests/explorer/tools"))
    script = folder / "node_modules/axe-core/axe.min.js"
    cached_manifest = folder / "node_modules/package.json"
    if not cached_manifest.exists() or cached_manifest.read_bytes() != manifest.read_bytes():
        if shutil.which("npm") is None:
            visits.skip("npm is not installed")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        shutil.copy(manifest, folder)
        done = subprocess.run(["npm", "install", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error",
                               "--fetch-retries=1"], cwd=folder, check=False)
        if done.returncode != 0:
            visits.skip("npm could not install the tools of package.json")
        shutil.copy(manifest, cached_manifest)
    return script.read_text(encoding="utf-8")


class Accessibility(visits.ProxiedVisits):
    def test_no_rule_is_violated(self):
        for device in ("desktop", "phone"):
            self.device(*DEVICES[device])
            for scene in SCENES:
                self.scheme("light")
                self.show(scene)
                self.js(RULES)
                with self.subTest(f"{scene} on {device}"):
                    self.check()
                with self.subTest(f"{scene} on {device} in dark mode"):
                    self.scheme("dark")
                    self.check("color-contrast")

    def check(self, *rules):
        """Checks the given rules; without arguments, all standard rules."""
        self.assertEqual(self.browser.execute_async_script(CHECK, rules), [])


if __name__ == "__main__":
    RULES = load_axe()
    visits.main()
