#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reading articles with normal and hostile content. See visits.py."""
import visits
from scenes import HOSTILE


@visits.on_each_screen
class Reading(visits.Visits):
    def click(self, selector):
        """Clicks a link even if another element covers a part of it."""
        self.js("arguments[0].click()", self.one(selector))

    def test_a_link_leads_to_another_article_without_a_reload(self):
        self.go("/item/guide/rate-limits")
        self.js("window.is_same_page = true")
        self.click("article .text a[href^='/item/']")
        self.wait(lambda: "Rate limits" not in self.text("main h1"))
        self.assertTrue(self.js("return window.is_same_page"))
        self.assertEqual(self.js("return document.activeElement.id"), "main")
        self.browser.back()
        self.wait_heading("Rate limits")

    def test_a_link_to_a_heading_of_another_article_opens_there(self):
        self.go("/item/operations/redis")
        self.click("article a[href$='#where-requests-are-counted']")
        self.wait(lambda: self.all("#where-requests-are-counted"))
        self.assertGreater(self.js("return scrollY"), 0)

    def test_going_back_returns_to_the_place(self):
        self.go("/item/guide/query-language")
        self.js("scrollTo(0, 400)")
        self.click("article .text a[href^='/item/']")
        self.wait(lambda: "query language" not in self.text("main h1").lower())
        self.browser.back()
        self.wait(lambda: "query language" in self.text("main h1").lower())
        self.wait(lambda: abs(self.js("return scrollY") - 400) < 50)

    def test_the_path_the_tree_and_the_neighbors_lead_on(self):
        self.go("/item/guide/rate-limits")
        self.assertEqual(self.texts(".path a")[0], "Home")
        self.assertTrue(self.all(".tree [aria-current]"))
        self.click(".around [rel=next]")
        self.wait(lambda: "Rate limits" not in self.text("main h1"))
        self.click(".around [rel=prev]")
        self.wait_heading("Rate limits")

    def test_the_contents_follow_the_reader(self):
        self.go("/item/guide/query-language")
        self.assertGreater(len(self.all(".contents nav li")), 2)
        last = self.all(".contents [aria-labelledby=contents] a")[-1]
        self.js("document.getElementById(decodeURIComponent(arguments[0].hash.slice(1))).scrollIntoView()", last)
        self.wait(lambda: self.text(".contents a[aria-current]") == last.get_property("textContent"))

    def test_code_can_be_copied(self):
        self.go("/item/guide/compression")
        self.browser.execute_cdp_cmd("Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
        self.js("document.querySelector('.code button').click()")
        self.wait(lambda: self.text(".code button") == "Copied")
        copied = self.browser.execute_async_script("navigator.clipboard.readText().then(arguments[0], String)")
        self.assertEqual(copied, self.text(".code code"))

    def test_known_languages_are_colored(self):
        self.go("/item/guide/calling-from-python")
        self.wait(lambda: self.all("code .token.keyword"), "colored words")

    def test_colored_words_have_no_other_style(self):
        for address in ("/item/operations/config-explorer", "/item/guide/search-box", "/item/guide/getting-started"):
            self.go(address)
            self.wait(lambda: self.all("code .token"), "colored words")
            self.assertEqual(self.js("""return [...document.querySelectorAll('.token')].filter((token) => {
                const style = getComputedStyle(token);
                return style.display !== 'inline' || style.padding !== '0px' || style.margin !== '0px' || style.borderTopWidth !== '0px';
              }).map((token) => token.className)"""), [])

    def test_a_hostile_article_does_no_harm(self):
        self.go(HOSTILE)
        self.wait_heading("Hostile <img")
        self.js("for (const e of document.querySelectorAll('main *')) e.dispatchEvent(new MouseEvent('mouseover', {bubbles: true}))")
        self.assertIsNone(self.js("return window.hurt ?? null"))
        self.assertEqual(self.all("main script, main iframe, main form, main object, main [style]"), [])
        bad = self.js("return [...document.querySelectorAll('main a[href]')].filter(a => !['http:', 'https:', 'mailto:'].includes(a.protocol)).length")
        self.assertEqual(bad, 0)
        handlers = self.js("return [...document.querySelectorAll('main *')].filter(e => [...e.attributes].some(a => a.name.startsWith('on'))).length")
        self.assertEqual(handlers, 0)

    def test_deep_nesting_is_shown(self):
        self.go("/item/deep")
        self.wait_heading("Deep nesting")

    def test_text_follows_its_direction(self):
        self.go("/item/arabic-database")
        for selector in ("article p", "article h1", "article ul"):
            self.assertEqual(self.js(f"return getComputedStyle(document.querySelector('{selector}')).direction"), "rtl", selector)

    def test_the_chosen_theme_stays(self):
        self.go("/")
        switch = lambda: self.js("document.querySelector('button.theme').click()")
        chosen = "return document.documentElement.dataset.theme ?? null"
        switch()
        switch()
        self.assertEqual(self.js(chosen), "dark")
        self.go("/docs")
        self.assertEqual(self.js(chosen), "dark")
        switch()
        self.assertIsNone(self.js(chosen))


if __name__ == "__main__":
    visits.main()
