#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the cost of the pages for a visitor: bytes, requests, and files that block rendering. See visits.py."""
import visits
from scenes import PAGES

KIB = 1024
MAX_BYTES = 60 * KIB     # transferred bytes of a first visit
MAX_REQUESTS = 6         # of a first visit
MAX_ELEMENTS = 1500      # of one page
MAX_BLOCKING_BYTES = 1 * KIB  # scripts that run before the page is rendered

TRANSFERS = """
return [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].map((entry) => ({
  name: entry.name, bytes: entry.transferSize, whole: entry.decodedBodySize, type: entry.initiatorType,
  blocks: entry.renderBlockingStatus === 'blocking' }));
"""


class Budget(visits.Visits):
    def setUp(self):
        super().setUp()
        self.origin = self.server  # the proxy adds a connection for each request
        self.browser.execute_cdp_cmd("Network.clearBrowserCache", {})

    def transfers(self):
        return self.js(TRANSFERS)

    def test_a_first_visit_is_small(self):
        for name in ("home", "search", "item", "operation"):
            with self.subTest(name):
                self.browser.execute_cdp_cmd("Network.clearBrowserCache", {})
                self.go(PAGES[name])
                fetched = self.transfers()
                bytes_ = sum(entry["bytes"] for entry in fetched)
                print(f"\n{name}: {bytes_ / KIB:.1f} KiB in {len(fetched)} requests", flush=True)
                self.assertLess(bytes_, MAX_BYTES)
                self.assertLessEqual(len(fetched), MAX_REQUESTS, fetched)

    def test_a_second_page_loads_only_itself(self):
        self.go("/")
        self.go("/item/guide/rate-limits")
        again = [entry["name"] for entry in self.transfers() if entry["bytes"] > 0]
        self.assertEqual([name for name in again if "/assets/" in name and "code_colors" not in name], [])

    def test_few_scripts_block_rendering(self):
        for address in ("/", "/docs"):
            self.go(address)
            blocking = [entry for entry in self.transfers() if entry["blocks"] and entry["type"] == "script"]
            self.assertLess(sum(entry["whole"] for entry in blocking), MAX_BLOCKING_BYTES, blocking)

    def test_pages_have_few_elements(self):
        for name, address in PAGES.items():
            with self.subTest(name):
                self.go(address)
                self.assertLess(self.js("return document.querySelectorAll('*').length"), MAX_ELEMENTS)

    def test_only_pictures_of_an_article_come_from_other_hosts(self):
        for name, address in PAGES.items():
            with self.subTest(name):
                self.go(address)
                others = [e["name"] for e in self.transfers() if not e["name"].startswith(self.origin)]
                pictures = [image.get_attribute("src") for image in self.all("article .text img")]
                self.assertEqual([name for name in others if name not in pictures], [])


if __name__ == "__main__":
    visits.main()
