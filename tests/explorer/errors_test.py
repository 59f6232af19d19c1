#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The explorer with a server that is slow, unavailable or rejects requests. See visits.py."""
import visits
from selenium.webdriver.common.keys import Keys


class Errors(visits.ProxiedVisits):
    """The test moves the page's clock, so no test waits for real time."""

    def setUp(self):
        super().setUp()
        self.use_manual_clock()

    def count_requests(self, path):
        return sum(1 for target in self.proxy.requests if target.startswith(path))

    def search(self, words):
        self.write(words)
        self.press(Keys.ENTER)

    def enter_key(self, key):
        self.one(".quota-button").click()
        self.one("dialog[open] input[type=password]").send_keys(key + Keys.ENTER)
        self.press(Keys.ESCAPE)

    def aria_busy(self):
        return self.js("return document.getElementById('view').getAttribute('aria-busy')")

    # 429

    def test_retries_a_rejected_request_automatically_if_chosen(self):
        self.proxy.reject("/api/v1/search", times=1, seconds=60)
        self.go("/?q=backup")
        self.wait_heading("Too many requests")
        self.click_button("Retry automatically", "#view")
        self.assertEqual(self.one(".problem button").get_attribute("aria-pressed"), "true")
        self.advance(59)
        self.assertIn("(in 1 s)", self.text(".problem .count"))
        self.assertEqual(self.count_requests("/api/v1/search"), 1)
        self.advance(2)
        self.wait_heading("backup")
        self.assertEqual(self.count_requests("/api/v1/search"), 2)

    def test_does_not_retry_without_the_visitors_choice(self):
        self.proxy.reject("/api/v1/search", times=1, seconds=60)
        self.go("/?q=backup")
        self.wait_heading("Too many requests")
        self.advance(90)
        self.assertIn("You can try again now", self.text(".problem"))
        self.assertEqual(self.count_requests("/api/v1/search"), 1)
        self.click_button("Try again", "#view")
        self.wait_heading("backup")
        self.assertTrue(self.focus_is_on("h1"))

    def test_does_not_retry_after_the_visitor_left_the_view(self):
        self.proxy.reject("/api/v1/search", times=1, seconds=60)
        self.go("/?q=backup")
        self.click_button("Retry automatically", "#view")
        self.one("#nav a[href='/?view=recent']").click()
        self.wait_heading("Recently updated")
        self.advance(90)
        self.assertEqual(self.count_requests("/api/v1/search"), 1)
        self.assertEqual(self.count_requests("/api/v1/recent"), 1)

    def test_automatic_retry_can_be_cancelled(self):
        self.proxy.reject("/api/v1/search", times=1, seconds=60)
        self.go("/?q=backup")
        self.click_button("Retry automatically", "#view")
        self.click_button("Cancel", "#view")
        self.advance(90)
        self.assertIn("You can try again now", self.text(".problem"))
        self.assertEqual(self.count_requests("/api/v1/search"), 1)

    # Slow

    def test_shows_a_busy_state_only_for_slow_requests(self):
        self.go("/?view=categories")
        self.proxy.hold("/api/v1/search")
        self.search("backup")
        self.wait(lambda: self.count_requests("/api/v1/search") == 1)
        self.assertIsNone(self.aria_busy())
        self.advance(0.5)
        self.assertEqual(self.aria_busy(), "true")
        self.assertEqual(self.text("#view h1"), "Categories")
        self.save_screenshot("busy")
        self.proxy.release()
        self.wait_heading("backup")
        self.assertIsNone(self.aria_busy())

    def test_times_out_after_twenty_seconds_and_can_retry(self):
        self.go("/?view=categories")
        self.proxy.hold("/api/v1/search")
        self.search("backup")
        self.wait(lambda: self.count_requests("/api/v1/search") == 1)
        self.advance(19)
        self.assertEqual(self.text("#view h1"), "Categories")
        self.advance(2)
        self.wait_heading("The request timed out")
        self.save_screenshot("slow")
        self.proxy.release()
        self.click_button("Try again", "#view")
        self.wait_heading("backup")

    def test_a_late_response_to_an_older_search_is_ignored(self):
        self.go("/?view=categories")
        self.proxy.hold("/api/v1/search")
        self.search("backup")
        self.wait(lambda: self.count_requests("/api/v1/search") == 1)
        self.proxy.held = ()
        self.search("plugin")
        self.wait_heading("plugin")
        self.proxy.release()
        self.advance(1)
        self.wait_heading("plugin")

    # Unavailable

    def test_shows_that_the_server_does_not_respond(self):
        self.go("/")
        self.wait(lambda: "is healthy" in self.text(".health"))
        self.proxy.is_disconnected = True
        self.search("backup")
        self.wait_heading("The server does not respond")
        self.save_screenshot("unavailable")
        self.advance(120)
        self.wait(lambda: "unknown" in self.text(".health"))
        self.proxy.is_disconnected = False
        self.click_button("Try again", "#view")
        self.wait_heading("backup")
        self.advance(120)
        self.wait(lambda: "is healthy" in self.text(".health"))

    def test_retries_when_the_device_is_online_again(self):
        self.go("/")
        self.set_connected(connected=False)
        self.addCleanup(self.set_connected, connected=True)
        self.search("backup")
        self.wait_heading("You are offline")
        self.save_screenshot("offline")
        self.set_connected(connected=True)
        self.wait_heading("backup")

    def test_opens_an_article_when_the_server_is_back(self):
        self.go("/?q=backup")
        self.proxy.is_disconnected = True
        self.one("[data-result]").click()
        self.wait_heading("The server does not respond")
        self.click_button("Try again", "#view")
        self.wait(lambda: sum(1 for target in self.proxy.requests if target.endswith("/health")) > 1)
        self.wait_heading("The server does not respond")
        self.advance(1)
        self.assertIsNone(self.aria_busy())
        self.proxy.is_disconnected = False
        self.click_button("Try again", "#view")
        self.wait(lambda: self.all(".item-view"), "the article")

    def test_opens_an_article_when_the_device_is_online_again(self):
        self.go("/?q=backup")
        self.set_connected(connected=False)
        self.addCleanup(self.set_connected, connected=True)
        self.one("[data-result]").click()
        self.wait_heading("You are offline")
        self.set_connected(connected=True)
        self.wait(lambda: self.all(".item-view"), "the article")

    def set_connected(self, connected):
        self.browser.execute_cdp_cmd("Network.enable", {})
        self.browser.execute_cdp_cmd("Network.emulateNetworkConditions", {
            "offline": not connected, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})

    # Invalid responses

    def test_an_invalid_response_is_shown_and_logged_to_the_console(self):
        self.proxy.responses["/api/v1/recent"] = {}
        self.go("/")
        self.one("#nav a[href='/?view=recent']").click()
        self.wait_heading("Internal error")
        self.advance(1)
        self.assertIsNone(self.aria_busy())
        self.assertIn("TypeError", "".join(entry["message"] for entry in self.browser.get_log("browser")))
        self.proxy.responses.clear()
        self.advance(30)  # how long a response is fresh
        self.click_button("Try again", "#view")
        self.wait_heading("Recently updated")

    def test_offers_a_search_without_unsupported_filters(self):
        message = "This server's search filters by category alone, not by tag or day."
        self.proxy.responses["/api/v1/search"] = {"error": {"code": "NOT_IMPLEMENTED", "message": message}}
        self.proxy.statuses["/api/v1/search"] = 501
        self.go("/?q=backup&tag=backup&category=operations")
        self.wait_heading("Not supported by this server")
        self.assertIn(message, self.text(".problem"))
        self.assertNotIn("Try again", self.text(".problem"))
        self.proxy.responses.clear()
        self.one(".problem a").click()
        self.wait_heading("backup")
        self.assertIn("category=operations", self.browser.current_url)
        self.assertNotIn("tag=", self.browser.current_url)

    # New data while the visitor reads

    def test_new_requests_are_added_above_the_focused_one(self):
        self.go("/?q=backup")
        self.click_button("API requests", "footer")
        rows = "dialog[open] .requests li"
        before = len(self.all(rows))
        button = self.all(f"{rows} button")[-1]
        button.click()
        self.wait(lambda: self.text(f"{rows}:last-child [role=status]") != "")
        self.advance(75)
        self.wait(lambda: len(self.all(rows)) == before + 1)
        self.assertIn("/health", self.text(f"{rows}:first-child"))
        self.assertEqual(self.focused(), button)
        self.assertNotEqual(self.text(f"{rows}:last-child [role=status]"), "")

    # Keys

    def test_continues_without_a_revoked_key(self):
        self.go("/?q=backup")
        self.enter_key(self.revoked_key)
        self.wait_heading("Your key is not accepted")
        self.save_screenshot("key-rejected")
        self.click_button("continue without", "#view")
        self.wait_heading("backup")
        self.assertIsNone(self.js("return sessionStorage.getItem('kbase-key')"))
        self.assertTrue(self.focus_is_on("h1"))

    def test_accepts_another_key_after_a_rejected_one(self):
        self.go("/?q=backup")
        self.enter_key(self.revoked_key)
        self.wait_heading("Your key is not accepted")
        self.one(".problem input[type=password]").send_keys(self.key + Keys.ENTER)
        self.wait_heading("backup")
        self.assertEqual(self.js("return sessionStorage.getItem('kbase-key')"), self.key)
        self.assertTrue(self.focus_is_on("h1"))

    def test_shows_that_a_key_lacks_a_scope(self):
        self.go("/?q=backup")
        self.enter_key(self.other_key)
        self.wait_heading("Your key does not allow this")

    def test_the_api_description_is_requested_with_the_key(self):
        self.go_with_key("/", self.revoked_key)
        self.browser.get(self.origin + "/docs")
        self.wait(lambda: "Your key is not accepted" in self.text("main"))


if __name__ == "__main__":
    visits.main()
