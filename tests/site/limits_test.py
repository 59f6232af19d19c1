#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a visitor sees at the limit, and when the server is away. See visits.py."""
import visits


@visits.on_each_screen
class Limits(visits.Visits):
    settings = ("plans.visitor.per_minute=2", "server.trusted_proxies=[127.0.0.1]")
    addresses = iter(f"198.51.100.{number}" for number in range(1, 250))

    def setUp(self):
        super().setUp()
        self.proxy.client = next(self.addresses)

    def test_a_page_at_the_limit_says_so_and_asks_again_by_itself(self):
        self.use_manual_clock()
        self.go("/recent")
        self.go("/popular")
        self.go("/item/guide/rate-limits")
        self.assertIn("Too many requests", self.text("main h1"))
        self.assertRegex(self.text(".retry"), r"tries again in \d+ seconds")
        self.advance(1)
        before = len(self.proxy.requests)
        self.advance(20)
        self.assertEqual(len(self.proxy.requests), before)
        self.proxy.client = next(self.addresses)
        self.advance(60)
        self.wait_heading("Rate limits")

    def test_following_a_link_at_the_limit_shows_the_same(self):
        self.go("/recent")
        self.go("/")
        self.js("document.querySelector('.links a').click()")
        self.wait_heading("Too many requests")

    def test_a_page_that_cannot_be_fetched_is_loaded_by_the_browser(self):
        self.go("/recent")
        self.proxy.is_disconnected = True
        self.js("document.querySelector('.rows a').click()")
        self.wait(lambda: "ERR_" in self.browser.page_source)
        self.proxy.is_disconnected = False
        self.go("/")


@visits.on_each_screen
class Keys(visits.Visits):
    @classmethod
    def prepare(cls):
        cls.key = cls.kbase.key("reader", "wide")

    def use_key(self, key):
        field = self.one("form.key input")
        field.clear()
        field.send_keys(key)
        self.js("document.querySelector('form.key button').click()")

    def send(self):
        self.js("document.querySelector('form.send button[type=submit]').click()")

    def test_a_wrong_key_is_refused_in_its_form(self):
        self.go("/docs/search-items")
        self.use_key("kb_mistyped")
        self.wait(lambda: "does not accept" in self.text("form.key [role=status]"))
        self.assertIsNone(self.js("return sessionStorage.getItem('kbase-key')"))

    def test_send_uses_the_key_and_shows_what_is_left(self):
        self.go("/docs/search-items")
        self.use_key(self.key)
        self.wait(lambda: "uses your key" in self.text("form.key [role=status]"))
        self.send()
        self.wait(lambda: "of 1000000 requests left" in self.text("form.send .response"))
        self.assertIn('"success": true', self.text("form.send .response pre"))

    def test_the_samples_follow_the_form(self):
        self.go("/docs/search-items")
        field = self.one("form.send input[name=q]")
        field.clear()
        field.send_keys("two words")
        for language in ("curl", "Python", "JavaScript"):
            self.assertIn("search?q=two+words", self.text(f"[data-language={language}] code"))

    def test_each_operation_that_needs_nothing_answers_its_first_send(self):
        self.go("/docs")
        pages = [link.get_attribute("href") for link in self.all(".operations a")]
        self.assertGreater(len(pages), 12)
        for address in pages:
            if address.endswith(("/docs", "/get-account")) or "code-host" in address:
                continue
            self.browser.get(address)
            self.wait(lambda: self.all("form.send:not([hidden])"))
            if self.one("form.send").get_attribute("data-method") != "GET":
                continue  # it would change something
            self.send()
            self.wait(lambda: self.text("form.send .response").startswith("200"), f"{address} answers")


if __name__ == "__main__":
    visits.main()
