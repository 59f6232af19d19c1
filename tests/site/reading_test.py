#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reading articles with normal and hostile content. See visits.py."""
import visits
from scenes import HOSTILE


class Reading(visits.Visits):
    def test_opens_an_article(self):
        self.go_with_key("/?item=guide%2Frate-limits")
        self.wait_heading("Rate limits")
        self.assertTrue(self.all(".prose table"))
        links = self.js("return [...document.querySelectorAll('.prose a')].map(a => a.getAttribute('href'))")
        self.assertTrue(any(link.startswith("/?item=") for link in links), links)
        tag = self.one(".tag")
        text = tag.text
        tag.click()
        self.wait_heading(text)
        self.assertTrue(self.all(".results") and self.all(".chips"))

    def test_follows_a_link_to_a_heading_of_another_article(self):
        self.go_with_key("/?item=operations%2Fredis")
        self.js("window.is_same_page = true")
        self.one(".prose a[href$='#s-where-requests-are-counted']").click()
        self.wait(lambda: self.focus_is_on("#s-where-requests-are-counted"), "the heading")
        self.assertGreater(self.js("return scrollY"), 0)
        self.browser.back()
        self.wait_heading("Redis")
        self.assertTrue(self.js("return window.is_same_page"))

    def test_shows_the_source(self):
        self.go_with_key("/?item=guide%2Frate-limits")
        self.click_button("Show source")
        self.assertIn("## ", self.text(".source"))
        self.click_button("Show formatted")
        self.assertTrue(self.all(".prose h2"))

    def test_survives_hostile_articles(self):
        self.go_with_key(HOSTILE)
        self.wait_heading("Hostile <img")
        self.assertIn("<script>window.hurt = 1</script>", self.text(".prose"))
        self.js("for (const e of document.querySelectorAll('.prose *')) e.dispatchEvent(new MouseEvent('mouseover', {bubbles: true}))")
        self.assertIsNone(self.js("return window.hurt ?? null"))
        self.assertEqual(self.js("return document.querySelectorAll('.item-view script, .item-view img, .item-view iframe').length"), 0)
        bad = self.js("return [...document.querySelectorAll('#view a')].filter(a => !['http:', 'https:', 'mailto:'].includes(a.protocol)).length")
        self.assertEqual(bad, 0)
        handlers = self.js("return [...document.querySelectorAll('#view *')].filter(e => [...e.attributes].some(a => a.name.startsWith('on'))).length")
        self.assertEqual(handlers, 0)

    def test_renders_deep_nesting(self):
        self.go_with_key("/?item=deep")
        self.wait_heading("Deep nesting")

    def test_follows_the_text_direction(self):
        self.go_with_key("/?item=arabic-database")
        for selector in (".prose ul", ".prose p", "#view h1"):
            self.assertEqual(self.js(f"return getComputedStyle(document.querySelector('{selector}')).direction"), "rtl", selector)


if __name__ == "__main__":
    visits.main()
