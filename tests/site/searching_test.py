#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Searching, with the form of each page and with the dialog. See visits.py."""
import urllib.parse

import visits
from selenium.webdriver.common.keys import Keys


@visits.on_each_screen
class Searching(visits.Visits):
    def test_the_form_shows_results_without_a_reload(self):
        self.go("/item/guide/search")
        self.js("window.is_same_page = true")
        self.one(".find input").send_keys("rate limits" + Keys.ENTER)
        self.wait_heading("results for “rate limits”")
        self.assertTrue(self.js("return window.is_same_page"))
        self.assertEqual(urllib.parse.urlsplit(self.browser.current_url).path, "/search")
        self.assertIn("rate limits", self.browser.title)
        self.assertTrue(self.all(".hits mark"))
        self.browser.back()
        self.wait_heading("Search")
        self.assertTrue(self.js("return window.is_same_page"))

    def test_a_hit_opens_at_its_section_with_the_words_marked(self):
        self.go("/search?q=fallback+rate+limiter+redis")
        hit = next(link for link in self.all(".hits h2 a") if "#" in link.get_attribute("href"))
        anchor = hit.get_attribute("href").split("#")[1]
        hit.click()
        self.wait(lambda: self.all("article"))
        self.assertTrue(self.browser.current_url.endswith("#" + anchor))
        self.assertGreater(self.js("return CSS.highlights.get('words')?.size ?? 0"), 0)
        self.assertLess(abs(self.js("return document.getElementById(arguments[0]).getBoundingClientRect().top",
                                    urllib.parse.unquote(anchor)) - 88), 400)

    def test_filters_keep_several_values_and_their_counts(self):
        self.go("/search?q=index")
        facet = lambda: self.all("[aria-labelledby=facet-category] a")
        first = facet()[0]
        name, count = first.find_element("css selector", "span").text, int(first.find_element("css selector", ".fine").text)
        self.js("arguments[0].click()", first)
        self.wait_heading(f"{count} result")
        self.assertIn(name, self.text("[aria-labelledby=facet-category] .chosen"))
        self.js("arguments[0].click()", next(link for link in facet() if "chosen" not in (link.get_attribute("class") or "")))
        self.wait(lambda: len(self.all("[aria-labelledby=facet-category] .chosen")) == 2)
        self.assertEqual(self.browser.current_url.count("category="), 2)
        self.assertGreater(int(self.text("main h1").split()[0]), count)
        self.browser.back()
        self.wait_heading(f"{count} result")

    def test_pages_of_results_follow_each_other(self):
        self.go("/search?q=index")
        first = self.text(".hits a")
        self.js("arguments[0].click()", self.one(".pager a[rel=next]"))
        self.wait(lambda: self.all(".hits a") and self.text(".hits a") != first)
        self.assertIn("page=2", self.browser.current_url)
        self.js("arguments[0].click()", self.one(".pager a[rel=prev]"))
        self.wait(lambda: self.text(".hits a") == first)

    def test_a_correction_is_named(self):
        self.go("/search?q=rate+limmit")
        self.assertIn("Showing results for limit", self.text(".note"))

    def test_nothing_found_leads_on(self):
        self.go("/search?q=zzzzqqq")
        self.assertIn("No article matches", self.text("main"))
        self.assertTrue(self.all("main a[href='/']"))


@visits.on_each_screen
class Dialog(visits.Visits):
    def test_slash_and_control_k_open_it_anywhere(self):
        for keys in (["/"], [Keys.CONTROL, "k"]):
            self.go("/item/guide/search")
            self.press(*keys)
            self.wait(lambda: self.all(".search-dialog[open]"))
            self.assertEqual(self.focused().get_attribute("role"), "combobox")
            self.press(Keys.ESCAPE)
            self.wait(lambda: not self.all(".search-dialog[open]"))

    def test_a_pause_in_typing_is_one_request(self):
        self.use_manual_clock()
        self.go("/")
        self.open_search()
        for letter in "backup":
            self.press(letter)
            self.advance(0.05)
        self.assertEqual(self.typed_requests(), [])
        self.advance(1)
        self.wait(lambda: self.all(".search-dialog .hits a"), "results")
        self.assertEqual(self.typed_requests(), ["/search?typed=true&q=backup"])

    def test_letters_after_a_query_without_results_ask_nothing(self):
        self.use_manual_clock()
        self.go("/")
        self.open_search()
        self.press("zzzzqq")
        self.advance(1)
        self.wait(lambda: "No article matches" in self.text(".search-dialog"))
        self.press("xyz")
        self.advance(5)
        self.assertEqual(len(self.typed_requests()), 1)

    def test_an_unfinished_word_finds_what_begins_with_it(self):
        self.go("/")
        self.open_search()
        self.press("synony")
        self.wait(lambda: any("Synonyms" in text for text in self.texts(".search-dialog .hits h2")))

    def test_the_arrow_keys_choose_and_enter_opens(self):
        self.go("/")
        self.js("window.is_same_page = true")
        self.open_search()
        self.press("backup")
        self.wait(lambda: self.all(".search-dialog .hits a"), "results")
        self.press(Keys.ARROW_DOWN)
        first = self.focused().get_attribute("href")
        self.press(Keys.ARROW_DOWN)
        second = self.focused().get_attribute("href")
        self.assertNotEqual(first, second)
        self.press(Keys.ARROW_UP)
        self.assertEqual(self.focused().get_attribute("href"), first)
        self.press(Keys.ENTER)
        self.wait(lambda: self.browser.current_url == first)
        self.assertFalse(self.all(".search-dialog[open]"))
        self.assertTrue(self.js("return window.is_same_page"))

    def test_recent_searches_are_offered(self):
        self.go("/")
        self.open_search()
        self.press("rate limits", Keys.ENTER)
        self.wait_heading("results for “rate limits”")
        self.open_search()
        self.assertEqual(self.texts(".search-dialog .suggestions a"), ["rate limits"])

    def test_a_server_that_is_down_is_named(self):
        self.go("/")
        self.open_search()
        self.proxy.is_disconnected = True
        self.press("backup")
        self.wait(lambda: "does not answer" in self.text(".search-dialog"))


@visits.on_each_screen
class WithoutScript(visits.Visits):
    def setUp(self):
        super().setUp()
        self.disable_scripts()

    def tearDown(self):
        self.browser.get("about:blank")

    def test_the_form_the_filters_and_the_pages_work(self):
        self.go("/")
        self.one("main .find input").send_keys("index" + Keys.ENTER)
        self.wait_heading("results for “index”")
        self.one(".pager a[rel=next]").click()
        self.wait(lambda: "page=2" in self.browser.current_url)
        self.one("[aria-labelledby=facet-category] a").click()
        self.wait(lambda: self.all("[aria-labelledby=facet-category] .chosen"))
        self.one(".hits h2 a").click()
        self.wait(lambda: self.all("article .text p"))

    def test_an_article_is_whole(self):
        self.go("/item/guide/rate-limits")
        self.assertIn("X-RateLimit", self.text("article"))
        self.assertTrue(self.all(".path a"))
        self.assertFalse(self.one("button.theme").is_displayed())


if __name__ == "__main__":
    visits.main()
