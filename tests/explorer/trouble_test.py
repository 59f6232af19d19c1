#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The explorer with a server that is slow, unavailable or rejects requests. See visits.py."""
import visits
from selenium.webdriver.common.keys import Keys


class Trouble(visits.Disturbed):
    """The test moves the page's clock, so no test waits for real time."""

    def setUp(self):
        super().setUp()
        self.take_clock()

    def asked(self, path):
        return sum(1 for target in self.line.asked if target.startswith(path))

    def search(self, words):
        self.write(words)
        self.press(Keys.ENTER)

    def use(self, key):
        self.one(".quota-button").click()
        self.one("dialog[open] input[type=password]").send_keys(key + Keys.ENTER)
        self.press(Keys.ESCAPE)

    def busy(self):
        return self.js("return document.getElementById('view').getAttribute('aria-busy')")

    # 429

    def test_repeats_by_itself_what_was_refused_when_asked_to(self):
        self.line.refuse("/api/v1/search", times=1, seconds=60)
        self.go("/?q=backup")
        self.wait_heading("Wait a moment")
        self.click_button("Do it for me then", "#view")
        self.assertEqual(self.one(".problem button").get_attribute("aria-pressed"), "true")
        self.advance(59)
        self.assertIn("(in 1 s)", self.text(".problem .count"))
        self.assertEqual(self.asked("/api/v1/search"), 1)
        self.advance(2)
        self.wait_heading("backup")
        self.assertEqual(self.asked("/api/v1/search"), 2)

    def test_does_not_spend_a_request_that_nobody_asked_for(self):
        self.line.refuse("/api/v1/search", times=1, seconds=60)
        self.go("/?q=backup")
        self.wait_heading("Wait a moment")
        self.advance(90)
        self.assertIn("It can be tried again now", self.text(".problem"))
        self.assertEqual(self.asked("/api/v1/search"), 1)
        self.click_button("Try again", "#view")
        self.wait_heading("backup")
        self.assertTrue(self.focus_is_on("h1"))

    def test_does_not_repeat_for_whoever_has_gone_on(self):
        self.line.refuse("/api/v1/search", times=1, seconds=60)
        self.go("/?q=backup")
        self.click_button("Do it for me then", "#view")
        self.one("#nav a[href='/?view=recent']").click()
        self.wait_heading("New and changed")
        self.advance(90)
        self.assertEqual(self.asked("/api/v1/search"), 1)
        self.assertEqual(self.asked("/api/v1/recent"), 1)

    def test_stops_waiting_when_told_to(self):
        self.line.refuse("/api/v1/search", times=1, seconds=60)
        self.go("/?q=backup")
        self.click_button("Do it for me then", "#view")
        self.click_button("Stop", "#view")
        self.advance(90)
        self.assertIn("It can be tried again now", self.text(".problem"))
        self.assertEqual(self.asked("/api/v1/search"), 1)

    # Slow

    def test_says_that_it_is_busy_only_where_it_takes_long(self):
        self.go("/?view=categories")
        self.line.hold("/api/v1/search")
        self.search("backup")
        self.wait(lambda: self.asked("/api/v1/search") == 1)
        self.assertIsNone(self.busy())
        self.advance(0.5)
        self.assertEqual(self.busy(), "true")
        self.assertEqual(self.text("#view h1"), "Categories")
        self.shoot("busy")
        self.line.release()
        self.wait_heading("backup")
        self.assertIsNone(self.busy())

    def test_gives_up_after_twenty_seconds_and_tries_again_when_asked(self):
        self.go("/?view=categories")
        self.line.hold("/api/v1/search")
        self.search("backup")
        self.wait(lambda: self.asked("/api/v1/search") == 1)
        self.advance(19)
        self.assertEqual(self.text("#view h1"), "Categories")
        self.advance(2)
        self.wait_heading("The server takes too long")
        self.shoot("slow")
        self.line.release()
        self.click_button("Try again", "#view")
        self.wait_heading("backup")

    def test_the_answer_to_an_older_search_does_not_come_last(self):
        self.go("/?view=categories")
        self.line.hold("/api/v1/search")
        self.search("backup")
        self.wait(lambda: self.asked("/api/v1/search") == 1)
        self.line.held = ()
        self.search("plugin")
        self.wait_heading("plugin")
        self.line.release()
        self.advance(1)
        self.wait_heading("plugin")

    # Away

    def test_says_that_the_server_does_not_answer(self):
        self.go("/")
        self.wait(lambda: "is well" in self.text(".health"))
        self.line.is_cut = True
        self.search("backup")
        self.wait_heading("The server does not answer")
        self.shoot("away")
        self.advance(120)
        self.wait(lambda: "No word" in self.text(".health"))
        self.line.is_cut = False
        self.click_button("Try again", "#view")
        self.wait_heading("backup")
        self.advance(120)
        self.wait(lambda: "is well" in self.text(".health"))

    def test_goes_on_when_the_device_is_online_again(self):
        self.go("/")
        self.connection(is_there=False)
        self.addCleanup(self.connection, is_there=True)
        self.search("backup")
        self.wait_heading("You are offline")
        self.shoot("offline")
        self.connection(is_there=True)
        self.wait_heading("backup")

    def test_reads_an_article_once_the_server_is_there_again(self):
        self.go("/?q=backup")
        self.line.is_cut = True
        self.one("[data-result]").click()
        self.wait_heading("The server does not answer")
        self.click_button("Try again", "#view")
        self.wait(lambda: sum(1 for target in self.line.asked if target.endswith("/health")) > 1)
        self.wait_heading("The server does not answer")
        self.advance(1)
        self.assertIsNone(self.busy())
        self.line.is_cut = False
        self.click_button("Try again", "#view")
        self.wait(lambda: self.all(".item-view"), "the article")

    def test_reads_an_article_when_the_device_is_online_again(self):
        self.go("/?q=backup")
        self.connection(is_there=False)
        self.addCleanup(self.connection, is_there=True)
        self.one("[data-result]").click()
        self.wait_heading("You are offline")
        self.connection(is_there=True)
        self.wait(lambda: self.all(".item-view"), "the article")

    def connection(self, is_there):
        self.browser.execute_cdp_cmd("Network.enable", {})
        self.browser.execute_cdp_cmd("Network.emulateNetworkConditions", {
            "offline": not is_there, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})

    # Invalid responses

    def test_says_that_an_answer_makes_no_sense_and_leaves_it_to_the_console(self):
        self.line.answers["/api/v1/recent"] = {}
        self.go("/")
        self.one("#nav a[href='/?view=recent']").click()
        self.wait_heading("The server made a mistake")
        self.advance(1)
        self.assertIsNone(self.busy())
        self.assertIn("TypeError", "".join(entry["message"] for entry in self.browser.get_log("browser")))
        self.line.answers.clear()
        self.advance(30)  # how long a response is fresh
        self.click_button("Try again", "#view")
        self.wait_heading("New and changed")

    def test_offers_the_search_that_a_server_without_filters_can_do(self):
        said = "This server's search filters by category alone, not by tag or day."
        self.line.answers["/api/v1/search"] = {"error": {"code": "NOT_IMPLEMENTED", "message": said}}
        self.line.statuses["/api/v1/search"] = 501
        self.go("/?q=backup&tag=backup&category=operations")
        self.wait_heading("This server cannot do that")
        self.assertIn(said, self.text(".problem"))
        self.assertNotIn("Try again", self.text(".problem"))
        self.line.answers.clear()
        self.one(".problem a").click()
        self.wait_heading("backup")
        self.assertIn("category=operations", self.browser.current_url)
        self.assertNotIn("tag=", self.browser.current_url)

    # New data while the visitor reads

    def test_new_requests_come_above_the_one_that_is_read(self):
        self.go("/?q=backup")
        self.click_button("Requests", "footer")
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

    def test_goes_on_without_a_key_that_was_revoked(self):
        self.go("/?q=backup")
        self.use(self.revoked_key)
        self.wait_heading("Your key is not accepted")
        self.shoot("key-refused")
        self.click_button("go on without", "#view")
        self.wait_heading("backup")
        self.assertIsNone(self.js("return sessionStorage.getItem('kbase-key')"))
        self.assertTrue(self.focus_is_on("h1"))

    def test_takes_another_key_in_place_of_one_that_is_refused(self):
        self.go("/?q=backup")
        self.use(self.revoked_key)
        self.wait_heading("Your key is not accepted")
        self.one(".problem input[type=password]").send_keys(self.key + Keys.ENTER)
        self.wait_heading("backup")
        self.assertEqual(self.js("return sessionStorage.getItem('kbase-key')"), self.key)
        self.assertTrue(self.focus_is_on("h1"))

    def test_says_that_a_key_does_not_allow_it(self):
        self.go("/?q=backup")
        self.use(self.other_key)
        self.wait_heading("Your key does not allow this")

    def test_the_description_of_the_interface_is_asked_for_with_the_key(self):
        self.go_with_key("/", self.revoked_key)
        self.browser.get(self.origin + "/docs")
        self.wait(lambda: "Your key is not accepted" in self.text("main"))


if __name__ == "__main__":
    visits.main()
