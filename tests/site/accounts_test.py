#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A person signs up, gets a key and searches with it; feedback on articles. See visits.py."""
import json
import pathlib
import quopri
import re
import urllib.request

import visits


@visits.on_each_screen
class Accounts(visits.Visits):
    settings = visits.NO_LIMITS + ("signup.mode=open", "signup.plan=wide", "mail.plugin=outbox",
                                   "mail.config.from=docs@example.org", "server.trusted_proxies=[127.0.0.1]")
    clients = iter(f"198.51.100.{number}" for number in range(1, 250))

    def setUp(self):
        super().setUp()
        self.proxy.client = next(self.clients)

    def mails(self):
        return set(pathlib.Path(self.kbase.outbox).glob("*.eml"))

    def ask_for_a_link(self, address):
        """Returns the part of the link behind its site."""
        known = self.mails()
        self.go("/account")
        self.wait(lambda: self.all(".signing:not([hidden])"), "the form")
        self.one("#email").send_keys(address)
        self.one("form.mail button").click()
        self.wait(lambda: "Check your mail" in self.text(".signing .status"), "the answer")
        self.wait(lambda: self.mails() - known, "the mail")
        mail = (self.mails() - known).pop()
        return re.search(rb"/account/confirm#\w+", quopri.decodestring(mail.read_bytes())).group(0).decode()

    def sign_in(self, address):
        link = self.ask_for_a_link(address)
        self.go(link)
        self.one(".confirming .sign-in").click()
        self.wait(lambda: self.all(".signed-in:not([hidden])"), "the account")
        return link

    def answer(self, choice):
        self.wait(lambda: self.all("dialog.confirm[open]"), "the question")
        self.one(f"dialog.confirm button[value={choice}]").click()

    def search_with(self, key):
        request = urllib.request.Request(self.kbase.url + "/search?q=rate+limit", headers={"Authorization": f"Bearer {key}"})
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return response.status, json.load(response)["pagination"]["total"]
        except urllib.error.HTTPError as error:
            return error.code, 0

    def test_from_sign_up_to_the_first_search_with_a_new_key(self):
        self.sign_in("reader1@example.org")
        self.assertEqual(self.text(".email"), "reader1@example.org")
        self.one("#key-name").send_keys("my <b>site</b>")
        self.one("form.new-key button").click()
        self.wait(lambda: self.text(".secret code").startswith("kb_"), "the key")
        key = self.text(".secret code")
        self.assertEqual(self.search_with(key)[0], 200)
        self.assertGreater(self.search_with(key)[1], 0)
        self.assertIn("my <b>site</b>", self.text(".keys li"))

        self.go("/account")
        self.wait(lambda: self.all(".keys .chart"), "the chart")
        self.assertFalse(self.one(".issued").is_displayed())
        self.js("document.querySelector('.keys .danger').click()")
        self.answer("no")
        self.assertEqual(self.search_with(key)[0], 200)
        self.js("document.querySelector('.keys .danger').click()")
        self.answer("yes")
        self.wait(lambda: "You have no key" in self.text(".keys"), "the list without the key")
        self.assertEqual(self.search_with(key)[0], 401)

    def test_a_link_works_once_and_an_account_ends(self):
        link = self.sign_in("reader2@example.org")
        self.one(".sign-out[value=everywhere]").click()
        self.wait(lambda: self.all(".signing:not([hidden])"), "the form")
        self.go(link)
        self.one(".confirming .sign-in").click()
        self.wait(lambda: self.one(".again").is_displayed(), "the refusal")
        self.sign_in("reader2@example.org")
        self.js("document.querySelector('.delete-account').click()")
        self.answer("yes")
        self.wait(lambda: self.all(".signing:not([hidden])"), "the form")


@visits.on_each_screen
class Feedback(visits.Visits):
    settings = visits.NO_LIMITS + ("insights.enabled=true",)

    def test_a_reader_says_what_is_missing(self):
        self.go("/item/guide/compression")
        self.wait(lambda: self.all(".feedback:not([hidden]) button"), "the question")
        self.js("document.querySelectorAll('.feedback button')[1].click()")
        self.wait(lambda: self.all(".feedback textarea"), "the field")
        self.one(".feedback textarea").send_keys("An example for wget is missing.")
        self.js("document.querySelector('.feedback form button').click()")
        self.wait(lambda: not self.all(".feedback textarea"), "the end")
        self.assertEqual(self.text(".feedback [role=status]"), "Thank you.")
        listed = json.loads(self.kbase.run("insights", "--feedback", "--json"))
        self.assertEqual(listed[0]["item"], "guide/compression")
        self.assertEqual(listed[0]["comments"][0]["text"], "An example for wget is missing.")

    def test_results_link_with_the_id_of_the_search(self):
        self.go("/search?q=compression")
        self.assertRegex(self.one("main .rows a, main a[href*='/item/']").get_attribute("href"), r"\?from=search:[0-9a-f]{16}")


if __name__ == "__main__":
    visits.main()
