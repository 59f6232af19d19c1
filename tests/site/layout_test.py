#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks every scene on every device: nothing is wider than the screen, and nothing moves while it loads. Writes
the screenshots. See visits.py."""
import visits
from scenes import DEVICES, SCENES, SCHEMES

MAX_SHIFT = 0.1  # limit for "good": web.dev/articles/cls
WIDER = """
const width = document.documentElement.clientWidth;
if (document.documentElement.scrollWidth <= width) return [];
return [...document.querySelectorAll('body *')].filter((e) => e.getBoundingClientRect().right > width + 1)
  .slice(0, 4).map((e) => e.outerHTML.slice(0, 120));
"""
SHIFTS = """
const done = arguments[0];
const shifts = [];
const take = (list) => shifts.push(...list.getEntries().filter(({ hadRecentInput }) => !hadRecentInput));
new PerformanceObserver(take).observe({ type: 'layout-shift', buffered: true });
// Existing entries are delivered before the second frame from now.
requestAnimationFrame(() => requestAnimationFrame(() => done([
  shifts.reduce((sum, { value }) => sum + value, 0),
  shifts.flatMap(({ sources }) => sources.map(({ node }) => node?.outerHTML?.slice(0, 80) ?? ''))])));
"""


class Layout(visits.Visits):
    def test_fits_the_screen_without_layout_shift(self):
        for device, facts in DEVICES.items():
            self.device(*facts)
            for scene in SCENES:
                with self.subTest(f"{scene} on {device}"):
                    self.leave()
                    SCENES[scene](self)
                    shift, moved = self.browser.execute_async_script(SHIFTS)
                    for scheme in SCHEMES:
                        self.scheme(scheme)
                        self.save_screenshot(f"{device}-{scene}-{scheme}")
                    self.assertEqual(self.js(WIDER), [])
                    self.assertLess(shift, MAX_SHIFT, moved)


if __name__ == "__main__":
    visits.main()
