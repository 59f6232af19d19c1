#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the pictures of README.md: an article of the manual, in the light and the dark scheme. See visits.py.

KBASE_PICTURES  folder for the pictures, docs/pictures; without it, the pictures are made and dropped
"""
import os
import pathlib
import tempfile

import visits
from scenes import SCHEMES

SCREEN = (1280, 720)


class Pictures(visits.Visits):
    settings = visits.Visits.settings + ("explorer.title=kbase",)
    imports = (visits.MANUAL,)

    def test_of_the_readme_are_made(self):
        folder = pathlib.Path(os.environ.get("KBASE_PICTURES") or self.enterContext(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        self.device(*SCREEN)
        for scheme in SCHEMES:
            self.scheme(scheme)
            self.go("/item/guide/filters-and-facets")
            picture = folder / f"site-{scheme}.png"
            self.assertTrue(self.browser.save_screenshot(str(picture)))
            self.assertGreater(picture.stat().st_size, 10_000)


if __name__ == "__main__":
    visits.main()
