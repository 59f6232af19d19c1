#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Requests of a visitor without a key, under the default limits. See visits.py."""
import visits
from selenium.webdriver.common.keys import Keys


class Quota(visits.Visits):
    """One address has ten requests per minute, so the tests of this class depend on their order."""

    settings = ()
    plan = "premium"

    def search(self, words):
        self.write(words)
        self.press(Keys.ENTER)

    def open_key_panel(self):
        self.one(".quota-button").click()
        return self.one("dialog[open] input[type=password]")

    def test_1_searches_only_on_enter(self):
        self.use_manual_clock()
        self.go("/")
        self.wait(lambda: "10 requests a minute" in self.text("#hint"))
        before = len(self.requests())
        self.write("rate limit")
        self.advance(10)
        self.assertEqual(len(self.requests()), before)
        self.press(Keys.ENTER)
        self.wait_heading("rate limit")
        self.assertEqual(len(self.requests()), before + 1)
        self.assertRegex(self.text("#view .count"), r"^1 to \d+ of \d+")
        self.assertIn("rate limit", self.browser.title)
        self.assertEqual(self.focused().get_attribute("id"), "q")
        self.advance(1)
        self.assertIn("result", self.text("#announcements"))

    def test_2_sends_no_request_twice(self):
        self.go("/?q=rate+limit")
        before = len(self.requests())
        self.one("#q").click()
        self.press(Keys.ENTER)
        self.press(Keys.ARROW_DOWN)
        self.press(Keys.ENTER)
        self.wait(lambda: self.all(".item-view"))
        self.browser.back()
        self.wait_heading("rate limit")
        self.assertEqual(len(self.requests()), before + 1)
        self.assertIsNotNone(self.focused().get_attribute("data-result"))

    def test_3_detects_a_mistyped_key_without_a_request(self):
        self.go("/?q=rate+limit")
        before = len(self.requests())
        self.open_key_panel().send_keys(self.key[:-1] + ("a" if self.key[-1] != "a" else "b") + Keys.ENTER)
        self.assertIn("incomplete or mistyped", self.one("dialog[open] .wrong").text)
        self.assertEqual(len(self.requests()), before)
        self.press(Keys.ESCAPE)
        self.assertEqual(self.all("dialog[open]"), [])

    def test_4_counts_down_when_the_quota_is_used_up_and_continues_with_a_key(self):
        self.go("/")
        for number in range(12):
            self.search(f"word{number}")
            self.wait(lambda: f"word{number}" in self.text("#view h1") or self.all(".problem"))
            if self.all(".problem"):
                break
        self.assertIn("used up", self.one(".problem").text)
        self.assertRegex(self.one(".problem .count").text, r"Try again at \d\d:\d\d:\d\d \(in \d+ s\)")
        self.one(".problem button.plain").click()
        self.one("dialog[open] input[type=password]").send_keys(self.key + Keys.ENTER)
        self.wait(lambda: "in use" in self.one("dialog[open]").text)
        self.assertNotIn(self.key, self.browser.current_url)
        self.assertIsNone(self.js("return localStorage.getItem('kbase-key')"))
        self.wait(lambda: "300 this minute" in self.one("dialog[open]").text)
        self.press(Keys.ESCAPE)
        self.wait(lambda: not self.all(".problem"))
        self.assertTrue(self.focus_is_on("#view, #view h1"))
        self.wait(lambda: "as you type" in self.text("#hint"))

    def test_5_shows_its_requests_without_the_key(self):
        self.go_with_key("/?q=rate+limit")
        self.click_button("API requests", "footer")
        text = self.one("dialog[open]").text
        self.assertIn("$KBASE_KEY", text)
        self.assertNotIn(self.key, text)


if __name__ == "__main__":
    visits.main()
