#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Uses the explorer as a visitor does, in Debian's Chromium.

    browser_test.py --url http://127.0.0.1:8080 --key KEY

The server runs with its default plans, has nobody else's requests in its public quota, and holds the manual (`docs`)
and items.jsonl, which lies beside this file. KEY is a premium key.

KBASE_SCREENSHOTS  folder for screenshots; none without it
KBASE_FIRST_RESULT_MS  longest time from the last key to the first result, where the machine is slower than a visitor's
KBASE_AXE          node_modules folder that has axe-core; without it accessibility is not checked by rules
"""

import argparse
import os
import pathlib
import statistics
import sys
import time
import unittest

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

URL = KEY = ""
PATIENCE = 20  # seconds for something that has to appear
FIRST_RESULT_MS = float(os.environ.get("KBASE_FIRST_RESULT_MS", "100"))
HOSTILE = "/?item=hostile%2Fmarkdown+%26+%3Cb%3E"
VIEWS = {
    "home": "/", "search": "/?q=rate+limit", "nothing": "/?q=zzzzqqq", "item": "/?item=rate-limits", "arabic": "/?item=arabic-database",
    "chinese": "/?item=chinese-search", "hostile": HOSTILE, "poem": "/?item=poem", "categories": "/?view=categories",
    "category": "/?category=guide", "popular": "/?view=popular&period=all", "recent": "/?view=recent", "stats": "/?view=stats",
    "missing": "/?item=nowhere",
}
# Notes when the last key went down and when the first result after it was painted.
WATCH = """
window.times = [];
document.getElementById('q').addEventListener('input', () => { window.pressed = performance.now(); }, true);
new MutationObserver(() => {
  const begun = window.pressed;
  if (document.querySelector('#view .results')) requestAnimationFrame(() => window.times.push(performance.now() - begun));
}).observe(document.getElementById('view'), { childList: true });
"""


def start_browser():
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


class Explorer(unittest.TestCase):
    """The tests run in the order of their names: those without a key come first, since they use up its quota."""

    @classmethod
    def setUpClass(cls):
        cls.browser = start_browser()
        cls.device(1280, 800)

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()

    def setUp(self):
        self.browser.get_log("browser")

    def tearDown(self):
        # A refused request is logged by the browser itself, and some tests ask for what is refused.
        said = [entry["message"] for entry in self.browser.get_log("browser") if "Failed to load resource" not in entry["message"]]
        self.assertEqual(said, [])

    @classmethod
    def device(cls, width, height, dark=False, mobile=False):
        cls.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile})
        cls.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce"}]})

    # What a visitor does and sees

    def go(self, address):
        self.browser.get(URL + address)
        self.wait(lambda: self.js("return !!document.querySelector('#view h1') && document.querySelector('.dot') !== null"))

    def js(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def wait(self, met, what=""):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if met():
                return
            time.sleep(0.02)
        self.fail(f"did not happen: {what or met}")

    def one(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def heading(self):
        return self.js("return document.querySelector('#view h1')?.textContent ?? ''")

    def wait_heading(self, text):
        self.wait(lambda: text in self.heading(), f"heading {text}, but is {self.heading()}")

    def focused(self):
        return self.browser.switch_to.active_element

    def press(self, *keys):
        self.focused().send_keys(*keys)

    def requests(self):
        return self.js("return performance.getEntriesByType('resource').filter(e => e.name.includes('/api/v1/') && "
                       "!e.name.endsWith('/health')).map(e => e.name)")

    def write(self, text):
        field = self.one("#q")
        field.clear()
        field.send_keys(text)

    def shoot(self, name):
        folder = os.environ.get("KBASE_SCREENSHOTS")
        if folder:
            pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
            self.browser.save_screenshot(f"{folder}/{name}.png")

    def check_access(self, name):
        folder = os.environ.get("KBASE_AXE")
        if not folder:
            return
        self.js(pathlib.Path(folder, "axe-core/axe.min.js").read_text())
        found = self.browser.execute_async_script(
            "const done = arguments[0]; axe.run().then(r => done(r.violations.map(v => v.id + ': ' + v.nodes.slice(0, 3).map("
            "n => n.html.slice(0, 200) + ' ' + n.failureSummary).join(' | '))), e => done([String(e)]))")
        self.assertEqual(found, [], name)

    def check_width(self, name):
        wide = self.js("const w = document.documentElement.clientWidth; return document.documentElement.scrollWidth > w ? "
                       "[...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > w + 1)"
                       ".slice(0, 4).map(e => e.outerHTML.slice(0, 120)) : []")
        self.assertEqual(wide, [], name)

    def use_key(self):
        self.js("sessionStorage.setItem('kbase-key', arguments[0])", KEY)

    # Without a key: 10 requests a minute

    def test_01_searches_on_enter_without_a_key(self):
        self.go("/")
        self.wait(lambda: "10 requests a minute" in self.one("#hint").text)
        before = len(self.requests())
        self.write("rate limit")
        time.sleep(0.3)
        self.assertEqual(len(self.requests()), before)
        self.press(Keys.ENTER)
        self.wait_heading("rate limit")
        self.assertEqual(len(self.requests()), before + 1)
        self.assertRegex(self.one("#view .count").text, r"^1 to \d+ of \d+")
        self.assertIn("rate limit", self.browser.title)
        self.assertEqual(self.focused().get_attribute("id"), "q")
        self.wait(lambda: "result" in self.one("#said").get_attribute("textContent"))
        self.shoot("enter")

    def test_02_asks_nothing_twice(self):
        before = len(self.requests())
        self.press(Keys.ENTER)
        self.press(Keys.ARROW_DOWN)
        self.press(Keys.ENTER)
        self.wait(lambda: self.all(".item-view"))
        self.browser.back()
        self.wait_heading("rate limit")
        self.assertEqual(len(self.requests()), before + 1)
        self.assertIsNotNone(self.focused().get_attribute("data-result"))

    def test_03_says_when_a_mistyped_key_is_none_without_asking(self):
        self.one(".quota-button").click()
        before = len(self.requests())
        self.one("dialog[open] input[type=password]").send_keys(KEY[:-1] + ("a" if KEY[-1] != "a" else "b") + Keys.ENTER)
        self.assertIn("not a whole key", self.one("dialog[open] .wrong").text)
        self.assertEqual(len(self.requests()), before)
        self.shoot("key-wrong")
        self.check_access("key panel")
        self.press(Keys.ESCAPE)
        self.assertEqual(self.all("dialog[open]"), [])

    def test_04_counts_down_when_the_quota_is_used_up(self):
        for number in range(12):
            self.write(f"word{number}")
            self.press(Keys.ENTER)
            self.wait(lambda: f"word{number}" in self.heading() or self.all(".problem"))
            if self.all(".problem"):
                break
        self.assertIn("used up", self.one(".problem").text)
        self.assertRegex(self.one(".problem .count").text, r"It works again at \d\d:\d\d:\d\d \(in \d+ s\)")
        self.shoot("used-up")
        self.check_access("used up")
        self.one(".problem button").click()
        self.assertEqual(self.one(".problem button").get_attribute("aria-pressed"), "true")

    def test_05_takes_a_key_and_goes_on(self):
        self.one(".problem button.plain").click()
        self.one("dialog[open] input[type=password]").send_keys(KEY + Keys.ENTER)
        self.wait(lambda: "in use" in self.one("dialog[open]").text)
        self.assertNotIn(KEY, self.browser.current_url)
        self.assertEqual(self.js("return localStorage.getItem('kbase-key')"), None)
        self.wait(lambda: "300 this minute" in self.one("dialog[open]").text)
        self.shoot("key-kept")
        self.press(Keys.ESCAPE)
        self.wait(lambda: not self.all(".problem"))
        self.wait(lambda: "as you type" in self.js("return document.getElementById('hint').textContent"))

    def test_06_shows_its_requests_without_the_key(self):
        [button] = [button for button in self.all("footer button") if "Requests" in button.text]
        button.click()
        text = self.one("dialog[open]").text
        self.assertIn("$KBASE_KEY", text)
        self.assertNotIn(KEY, text)
        self.shoot("requests")
        self.check_access("requests")
        self.press(Keys.ESCAPE)

    # With a premium key

    def test_10_searches_while_one_types(self):
        self.go("/")
        self.use_key()
        self.go("/")
        self.wait(lambda: "as you type" in self.one("#hint").text)
        self.js(WATCH)
        taken = []
        for word in ("rate", "backup", "plugin", "index", "import"):
            self.js("window.times = []")
            self.write(word)
            self.wait_heading(word)
            time.sleep(0.4)
            taken.append(self.js("return window.times.at(-1)"))
        print(f"\nlast key to first result: {', '.join(f'{t:.0f}' for t in taken)} ms, median {statistics.median(taken):.0f}", file=sys.stderr)
        self.assertLess(min(taken), FIRST_RESULT_MS)
        self.assertIn("q=import", self.browser.current_url)

    def test_11_is_small(self):
        bytes_of = ("return performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation'))"
                    ".filter(e => !e.name.includes('/api/')).reduce((sum, e) => sum + e.encodedBodySize, 0)")
        self.browser.execute_cdp_cmd("Network.setCacheDisabled", {"cacheDisabled": True})
        self.go("/?q=rate")
        search = self.js(bytes_of)
        self.one("[data-result]").click()
        self.wait(lambda: self.all(".prose"))
        reader = self.js(bytes_of)
        self.browser.execute_cdp_cmd("Network.setCacheDisabled", {"cacheDisabled": False})
        print(f"\nbytes for a search: {search}, with the reader: {reader}", file=sys.stderr)
        self.assertLess(search, 60 * 1024)
        self.assertLess(reader, 80 * 1024)
        elsewhere = self.js("return performance.getEntriesByType('resource').filter(e => !e.name.startsWith(location.origin)).length")
        self.assertEqual(elsewhere, 0)

    def test_12_needs_no_mouse(self):
        self.go("/?view=categories")
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
        self.shoot("keyboard")
        self.press(Keys.ENTER)
        self.wait(lambda: self.all(".item-view"))
        self.assertEqual(self.focused().tag_name, "h1")
        self.press(Keys.ESCAPE)
        self.wait_heading("backup")
        self.assertEqual(self.focused().get_attribute("href"), first)
        self.press("?")
        self.assertIn("Keyboard", self.one("dialog[open] h2").text)
        self.shoot("help")
        self.check_access("help")
        self.press(Keys.ESCAPE)
        self.assertEqual(self.all("dialog[open]"), [])

    def test_13_goes_back_and_forward(self):
        self.go("/?q=index")
        self.one(".pager a[rel=next]").click()
        self.wait(lambda: "offset=20" in self.browser.current_url and self.one(".count").text.startswith("21 to"))
        self.browser.back()
        self.wait(lambda: self.one(".count").text.startswith("1 to"))
        self.browser.forward()
        self.wait(lambda: self.one(".count").text.startswith("21 to"))
        self.one("#nav a").click()
        self.wait_heading("Categories")
        self.browser.back()
        self.wait_heading("index")

    def test_14_filters_and_sorts(self):
        self.go("/?q=index")
        [date] = [link for link in self.all(".choice a") if link.text == "Date"]
        date.click()
        self.wait(lambda: "sort=date" in self.browser.current_url and self.all(".choice a[data-keep='sort:date'][aria-current]"))
        self.assertEqual(self.focused().get_attribute("data-keep"), "sort:date")
        self.go("/?q=index&category=operations&sort=date")
        self.wait(lambda: "Operations" in self.one(".chips").text)
        self.shoot("filtered")
        self.one(".chip").click()
        self.wait(lambda: "category=" not in self.browser.current_url and not self.all(".chips"))

    def test_15_reads_an_article(self):
        self.go("/?item=rate-limits")
        self.wait_heading("Rate limits")
        self.assertTrue(self.all(".prose table"))
        links = self.js("return [...document.querySelectorAll('.prose a')].map(a => a.getAttribute('href'))")
        self.assertTrue(any(link.startswith("/?item=") for link in links), links)
        tag = self.one(".tag")
        text = tag.text
        tag.click()
        self.wait_heading(text)
        self.assertTrue(self.all(".results") and self.all(".chips"))

    def test_16_survives_hostile_articles(self):
        self.go(HOSTILE)
        self.wait_heading("Hostile <img")
        self.assertIn("<script>window.hurt = 1</script>", self.one(".prose").text)
        self.js("for (const e of document.querySelectorAll('.prose *')) e.dispatchEvent(new MouseEvent('mouseover', {bubbles: true}))")
        self.assertIsNone(self.js("return window.hurt ?? null"))
        self.assertEqual(self.js("return document.querySelectorAll('.item-view script, .item-view img, .item-view iframe').length"), 0)
        bad = self.js("return [...document.querySelectorAll('#view a')].filter(a => !['http:', 'https:', 'mailto:'].includes(a.protocol)).length")
        self.assertEqual(bad, 0)
        handlers = self.js("return [...document.querySelectorAll('#view *')].filter(e => [...e.attributes].some(a => a.name.startsWith('on'))).length")
        self.assertEqual(handlers, 0)
        begun = time.monotonic()
        self.go("/?item=deep")
        self.wait_heading("Deep nesting")
        self.assertLess(time.monotonic() - begun, 15)

    def test_17_turns_with_the_direction_of_the_text(self):
        self.go("/?item=arabic-database")
        self.wait(lambda: self.all(".prose"))
        self.assertEqual(self.js("return getComputedStyle(document.querySelector('.prose ul')).direction"), "rtl")
        self.assertEqual(self.js("return getComputedStyle(document.querySelector('.prose p')).direction"), "rtl")
        self.assertEqual(self.js("return getComputedStyle(document.querySelector('#view h1')).direction"), "rtl")

    def test_18_keeps_the_chosen_colours(self):
        self.go("/")
        switch = self.one("#tools button:last-child")
        switch.click()
        switch.click()
        self.assertEqual(self.js("return document.documentElement.dataset.theme"), "dark")
        self.go("/")
        self.assertEqual(self.js("return document.documentElement.dataset.theme"), "dark")
        self.one("#tools button:last-child").click()
        self.assertIsNone(self.js("return document.documentElement.dataset.theme ?? null"))

    def test_19_says_that_the_server_does_not_answer(self):
        self.go("/")
        self.browser.execute_cdp_cmd("Network.enable", {})
        self.browser.execute_cdp_cmd("Network.emulateNetworkConditions", {
            "offline": True, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})
        self.write("something new")
        self.press(Keys.ENTER)
        self.wait(lambda: self.all(".problem"))
        self.shoot("offline")
        self.browser.execute_cdp_cmd("Network.emulateNetworkConditions", {
            "offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})
        self.wait(lambda: not self.all(".problem"))
        self.wait_heading("something new")

    def test_30_looks_right_everywhere(self):
        for name, width, height, dark, mobile in (("desktop", 1280, 800, False, False), ("dark", 1280, 800, True, False),
                                                  ("phone", 390, 844, False, True), ("phone-dark", 390, 844, True, True),
                                                  ("narrow", 320, 640, False, True)):
            self.device(width, height, dark, mobile)
            for view, address in VIEWS.items():
                with self.subTest(f"{view} on {name}"):
                    self.go(address)
                    self.wait(lambda: self.all("#view h1"))
                    time.sleep(0.15)
                    self.shoot(f"{name}-{view}")
                    self.check_width(view)
                    if name != "narrow":
                        self.check_access(view)
        self.device(1280, 800)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", required=True)
    parser.add_argument("--key", required=True)
    known, rest = parser.parse_known_args()
    URL, KEY = known.url.rstrip("/"), known.key
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
