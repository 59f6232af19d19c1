# SPDX-License-Identifier: Apache-2.0
"""Shared code of browser tests: a kbase and a Chromium for each class, and functions for what a visitor does and
sees.

    NAME_test.py --kbase PROGRAM [unittest's arguments]

Exit code 77: something required is missing; a message names it.

KBASE_SCREENSHOTS  folder for screenshots; without it, none are written
"""
import argparse
import os
import pathlib
import sys
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
SKIPPED = 77
TIMEOUT = 60  # seconds until something must appear
ITEMS = HERE / "items.jsonl"
CHROMIUM, DRIVER = "/usr/bin/chromium", "/usr/bin/chromedriver"


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.common.exceptions import StaleElementReferenceException
    from selenium.webdriver.common.by import By
except ImportError:
    skip("python3-selenium is not installed")

from proxy import Proxy  # noqa: E402
from scenes import DEVICES  # noqa: E402
from served_kbase import MANUAL, NO_LIMITS, ServedKbase  # noqa: E402


def start_browser():
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service(DRIVER), options=options)


class Visits(unittest.TestCase):
    """The tests of one class share a server and a browser. Each test begins with an empty page, storage and
    console."""

    program = ""
    settings = NO_LIMITS + ("plans.visitor.per_minute=0", "plans.visitor.per_day=0")
    imports = (MANUAL, ITEMS)
    screen = DEVICES["desktop"]

    @classmethod
    def setUpClass(cls):
        cls.kbase = cls.enterClassContext(ServedKbase(cls.program, *cls.settings))
        for content in cls.imports:
            cls.kbase.run("import", str(content))
        cls.prepare()
        cls.kbase.serve()
        cls.server = cls.kbase.url.removesuffix("/api/v1")
        cls.browser = start_browser()
        cls.addClassCleanup(cls.browser.quit)
        cls.device(*cls.screen)
        cls.scheme("light")

    @classmethod
    def prepare(cls):
        """Called before the server starts."""

    def setUp(self):
        self.proxy = Proxy(self.kbase.url)
        self.addCleanup(self.proxy.close)
        self.origin = self.proxy.url

    def tearDown(self):
        # The browser logs every failed request, and some tests cause them deliberately.
        messages = [entry["message"] for entry in self.browser.get_log("browser") if "Failed to load resource" not in entry["message"]]
        self.leave()
        self.assertEqual(messages, [])

    def leave(self):
        """Clears all browser state of the site."""
        if self.browser.current_url.startswith(self.origin):
            self.js("sessionStorage.clear(); localStorage.clear()")
        self.browser.get("about:blank")

    @classmethod
    def device(cls, width, height, is_phone=False):
        cls.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": is_phone})

    @classmethod
    def scheme(cls, name):
        cls.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": name}, {"name": "prefers-reduced-motion", "value": "reduce"}]})

    def disable_scripts(self):
        """Until the end of the test. `js` cannot be used then."""
        set_disabled = lambda value: self.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": value})
        set_disabled(True)
        self.addCleanup(set_disabled, False)

    def use_manual_clock(self):
        """Stops the page's time from the next page load on; only `advance` moves it."""
        source = (HERE / "manual_clock.js").read_text(encoding="utf-8")
        clock = self.browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": source})
        self.addCleanup(self.browser.execute_cdp_cmd, "Page.removeScriptToEvaluateOnNewDocument", clock)

    def advance(self, seconds):
        self.js("advance(arguments[0])", seconds * 1000)

    # What a visitor does and sees

    def go(self, address):
        self.browser.get(self.origin + address)
        self.wait(lambda: self.all("main h1"), f"the page {address}")

    def js(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def wait(self, condition, what=""):
        end = time.monotonic() + TIMEOUT
        while time.monotonic() < end:
            try:
                if condition():
                    return
            except StaleElementReferenceException:
                pass  # the page was just replaced
            time.sleep(0.02)
        self.fail(f"timed out waiting for: {what or condition}")

    def one(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector):
        """Returns the text of the first matching element, even if it is hidden; "" if no element matches."""
        return next((element.get_property("textContent") for element in self.all(selector)), "")

    def texts(self, selector):
        return [element.get_property("textContent") for element in self.all(selector)]

    def wait_heading(self, text):
        self.wait(lambda: text in self.text("main h1"), f"heading {text}")

    def focused(self):
        return self.browser.switch_to.active_element

    def press(self, *keys):
        self.focused().send_keys(*keys)

    def open_search(self):
        self.press("/")
        self.wait(lambda: self.all(".search-dialog[open]"), "the dialog")

    def typed_requests(self):
        return [path for path in self.proxy.requests if path.startswith("/search?typed=")]

    def save_screenshot(self, name):
        folder = os.environ.get("KBASE_SCREENSHOTS")
        if folder:
            pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
            self.browser.save_screenshot(f"{folder}/{name}.png")


def on_each_screen(tests):
    """Class decorator: the tests also run on a phone and on a narrow one. Returns the class for the desktop."""
    module = sys.modules[tests.__module__]
    for name in ("phone", "narrow"):
        title = tests.__name__ + name.capitalize()
        setattr(module, title, type(title, (tests,), {"screen": DEVICES[name], "__module__": tests.__module__}))
    return tests


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kbase", required=True, help="the program")
    known, rest = parser.parse_known_args()
    for needed in (CHROMIUM, DRIVER):
        if not os.access(needed, os.X_OK):
            skip(f"{needed} is missing")
    Visits.program = known.kbase
    unittest.main(module="__main__", argv=[sys.argv[0], *rest], verbosity=2)
