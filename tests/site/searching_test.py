#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Searching and navigating between views, with a key of a large plan. See visits.py."""
import json
import pathlib
import tempfile

import visits
from selenium.webdriver.common.keys import Keys


class Searching(visits.Visits):
    def test_searches_while_typing(self):
        self.go_with_key("/")
        self.wait(lambda: "as you type" in self.text("#hint"))
        self.write("import")
        self.wait_heading("import")
        self.wait(lambda: self.all(".results h2"))
        self.assertIn("q=import", self.browser.current_url)
        self.assertEqual(self.focused().get_attribute("id"), "q")

    def test_further_typing_adds_one_history_entry(self):
        self.go_with_key("/?view=categories")
        for word in ("rate", "backup", "plugin"):
            self.write(word)
            self.wait_heading(word)
        self.browser.back()
        self.wait_heading("Categories")

    def test_works_with_the_keyboard_only(self):
        self.go_with_key("/?view=categories")
        self.press("/")
        self.assertEqual(self.focused().get_attribute("id"), "q")
        self.press("backup", Keys.ENTER)
        self.wait_heading("backup")
        self.wait(lambda: self.all(".results"))
        self.press(Keys.ESCAPE)
        self.assertEqual(self.one("#q").get_attribute("value"), "backup")
        self.press("j")
        first = self.focused().get_attribute("href")
        self.press("j")
        second = self.focused().get_attribute("href")
        self.assertNotEqual(first, second)
        self.press("k")
        self.assertEqual(self.focused().get_attribute("href"), first)
        self.save_screenshot("keyboard")
        self.press(Keys.ENTER)
        self.wait(lambda: self.all(".item-view"))
        self.assertEqual(self.focused().tag_name, "h1")
        self.press(Keys.ESCAPE)
        self.wait_heading("backup")
        self.assertEqual(self.focused().get_attribute("href"), first)
        self.press("?")
        self.assertIn("Keyboard", self.one("dialog[open] h2").text)
        self.press(Keys.ESCAPE)
        self.assertEqual(self.all("dialog[open]"), [])

    def test_goes_back_and_forward(self):
        self.go_with_key("/?q=index")
        self.one(".pager a[rel=next]").click()
        self.wait(lambda: "offset=20" in self.browser.current_url and self.text(".count").startswith("21 to"))
        self.browser.back()
        self.wait(lambda: self.text(".count").startswith("1 to"))
        self.browser.forward()
        self.wait(lambda: self.text(".count").startswith("21 to"))
        self.one("#nav a").click()
        self.wait_heading("Categories")
        self.browser.back()
        self.wait_heading("index")

    def test_opening_the_same_view_adds_no_history_entry(self):
        self.go_with_key("/?view=categories")
        before = self.js("return history.length")
        self.one("#nav a").click()
        self.wait(lambda: self.focus_is_on("h1"))
        self.assertEqual(self.js("return history.length"), before)

    def test_escape_stays_on_the_site(self):
        self.go_with_key("/?item=operations%2Fredis")
        self.one(".contents a").click()
        self.js("const again = document.createElement('a'); again.href = '/?item=operations%2Fredis';"
                "document.getElementById('view').append(again); again.click()")
        self.wait(lambda: "#" not in self.browser.current_url and self.focus_is_on("h1"))
        self.browser.back()
        self.wait(lambda: "#" in self.browser.current_url)
        self.press(Keys.ESCAPE)
        self.wait_heading("Browse by category")

    def test_shows_that_a_page_is_past_the_end(self):
        for address in ("/?category=guide&offset=5000", "/?q=index&offset=5000"):
            self.go_with_key(address)
            self.assertIn("past the end of the list", self.text(".nothing"))
            self.assertNotIn("no articles", self.text("#view"))
            self.assertRegex(self.text(".pager"), r"Page (\d+) of \1\D*$")
            self.one(".pager a[rel=prev]").click()
            self.wait(lambda: self.all(".results li"))

    def test_explains_an_invalid_search(self):
        self.go_with_key("/")
        self.write("a")
        self.press(Keys.ENTER)
        self.assertEqual(self.one("#q").get_attribute("aria-invalid"), "true")
        self.wait(lambda: "at least two characters" in self.text("#announcements"))
        self.press("b")
        self.assertIsNone(self.one("#q").get_attribute("aria-invalid"))

    def test_filters_and_sorts(self):
        self.go_with_key("/?q=index")
        [date] = [link for link in self.all(".choice a") if link.text == "Date"]
        date.click()
        self.wait(lambda: "sort=date" in self.browser.current_url and self.all(".choice a[data-keep='sort:date'][aria-current]"))
        self.assertEqual(self.focused().get_attribute("data-keep"), "sort:date")
        self.go("/?q=index&category=operations&sort=date")
        self.wait(lambda: "Operations" in self.text(".chips"))
        self.one(".chip").click()
        self.wait(lambda: "category=" not in self.browser.current_url and not self.all(".chips"))
        self.assertEqual(self.focused().tag_name, "h1")

    def test_keeps_the_chosen_theme(self):
        self.go("/")
        switch = self.one("#tools button:last-child")
        switch.click()
        switch.click()
        chosen = "return document.documentElement.dataset.theme ?? null"
        self.assertEqual(self.js(chosen), "dark")
        self.go("/")
        self.assertEqual(self.js(chosen), "dark")
        self.browser.get(self.origin + "/docs")
        self.assertEqual(self.js(chosen), "dark")
        self.go("/")
        self.one("#tools button:last-child").click()
        self.assertIsNone(self.js(chosen))


class Suggestions(visits.ProxiedVisits):
    """The proxy answers instead of the server."""

    def test_arrow_keys_select_a_suggestion(self):
        self.show("suggestions")
        self.assertEqual(self.one("#q").get_attribute("aria-activedescendant"), "suggestion-0")
        self.press(Keys.ENTER)
        self.wait_heading("backup and restore")
        self.assertEqual(self.all("#suggestions li"), [])

    def test_a_suggested_article_opens(self):
        self.show("suggestions")
        self.press(Keys.ARROW_DOWN)
        self.press(Keys.ENTER)
        self.wait(lambda: self.all(".item-view"))
        self.assertIn("item=operations%2Fbackup", self.browser.current_url)

    def test_escape_closes_the_list_and_keeps_the_text(self):
        self.show("suggestions")
        self.press(Keys.ESCAPE)
        self.assertEqual(self.all("#suggestions li"), [])
        self.assertEqual(self.one("#q").get_attribute("value"), "backup")

    def test_related_articles_have_their_titles(self):
        self.proxy.responses["/api/v1/item/guide%2Frate-limits/related"] = {"data": [{"id": "guide/errors", "title": "What errors mean"}]}
        self.go_with_key("/?item=guide%2Frate-limits")
        self.wait(lambda: "What errors mean" in self.text(".related"))

    def test_a_deleted_article_does_not_hide_titles_of_others(self):
        gone, other = ("/api/v1/item/operations%2Fbackup/related", "/api/v1/item/guide%2Frate-limits/related")
        self.proxy.responses = {gone: {"error": {"code": "NOT_FOUND", "message": "gone"}},
                             other: {"data": [{"id": "guide/errors", "title": "What errors mean"}]}}
        self.proxy.statuses[gone] = 404
        self.go_with_key("/?item=operations%2Fbackup")
        self.wait(lambda: any(gone in target for target in self.proxy.requests))
        self.write("rate limit")
        self.wait(lambda: self.all("[data-result][href='/?item=guide%2Frate-limits']"))
        self.wait(lambda: self.all("#suggestions li"))
        self.press(Keys.ESCAPE)  # the list covers the first results
        self.one("[data-result][href='/?item=guide%2Frate-limits']").click()
        self.wait(lambda: "What errors mean" in self.text(".related"))


class ManyCategories(visits.Visits):
    """More categories than one response of the API can contain."""

    count = 1234

    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="kbase-categories-")))
        content = folder / "many.jsonl"
        with content.open("w", encoding="utf-8") as file:
            for number in range(cls.count):
                file.write(json.dumps({"type": "category", "id": f"c{number:04}", "name": f"Category {number:04}",
                                       "description": "", "icon": "", "subcategories": []}) + "\n")
            file.write(json.dumps({"id": "last", "title": "In the last category", "category": f"c{cls.count - 1:04}",
                                   "content": "far down", "tags": [], "related": []}) + "\n")
        cls.imports = (content,)
        super().setUpClass()

    def count_shown(self):
        return len(self.all(".category-tree li"))

    def test_shows_a_thousand_and_the_rest_on_request(self):
        self.go_with_key("/?view=categories")
        self.assertEqual(self.count_shown(), 1000)
        self.click_button("more categories", "#view")
        self.wait(lambda: self.count_shown() == self.count, f"{self.count} categories, but {self.count_shown()}")
        self.assertEqual(self.focused().tag_name, "h1")
        self.assertNotIn("more categories", self.text("#view"))

    def test_going_back_keeps_all_categories(self):
        self.go_with_key("/?view=categories")
        self.click_button("more categories", "#view")
        self.wait(lambda: self.count_shown() == self.count)
        self.all(".category-tree a")[-1].click()
        self.wait_heading(f"Category {self.count - 1}")
        before = len(self.requests())
        self.browser.back()
        self.wait_heading("Categories")
        self.assertEqual(self.count_shown(), self.count)
        self.assertEqual(len(self.requests()), before)

    def test_home_shows_some(self):
        self.go_with_key("/")
        self.assertLess(len(self.all(".tile")), 30)


if __name__ == "__main__":
    visits.main()
