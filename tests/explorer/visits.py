# SPDX-License-Identifier: Apache-2.0
"""What tests of the pages have in common: a kbase and a Chromium of their own, and what a visitor does and sees.

    NAME_test.py --kbase PROGRAM [unittest's arguments]

Exit code 77: something that is needed is missing, and it is said what.

KBASE_SCREENSHOTS  folder for screenshots; none without it
"""
import argparse
import json
import os
import pathlib
import sys
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
SKIPPED = 77
PATIENCE = 60  # seconds for something that has to appear
ITEMS = HERE / "items.jsonl"
CHROMIUM, DRIVER = "/usr/bin/chromium", "/usr/bin/chromedriver"


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.by import By
except ImportError:
    skip("python3-selenium is not installed")

from line import Line  # noqa: E402
from scenes import SCENES  # noqa: E402
from served_kbase import MANUAL, NO_LIMITS, ServedKbase  # noqa: E402


def start_browser():
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service(DRIVER), options=options)


class Visits(unittest.TestCase):
    """Tests of one class share a server and a browser; each begins with a page, a storage and a console that are empty."""

    program = ""
    settings = NO_LIMITS
    plan = "wide"
    imports = (MANUAL, ITEMS)

    @classmethod
    def setUpClass(cls):
        cls.kbase = cls.enterClassContext(ServedKbase(cls.program, *cls.settings))
        for content in cls.imports:
            cls.kbase.run("import", str(content))
        cls.key = cls.kbase.key("visitor", cls.plan)
        cls.make_more_keys()
        cls.kbase.serve()
        cls.url = cls.origin = cls.kbase.url.removesuffix("/api/v1")
        cls.browser = start_browser()
        cls.addClassCleanup(cls.browser.quit)
        cls.device(1280, 800)
        cls.scheme("light")

    @classmethod
    def make_more_keys(cls):
        """For classes that need some, before the server is there."""

    def tearDown(self):
        # A refused request is logged by the browser itself, and some tests ask for what is refused.
        said = [entry["message"] for entry in self.browser.get_log("browser") if "Failed to load resource" not in entry["message"]]
        self.leave()
        self.assertEqual(said, [])

    def leave(self):
        """As one who was never here."""
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

    def take_clock(self):
        """From the next page on, time stands still for this test but for `advance`."""
        source = (HERE / "manual_clock.js").read_text(encoding="utf-8")
        clock = self.browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": source})
        self.addCleanup(self.browser.execute_cdp_cmd, "Page.removeScriptToEvaluateOnNewDocument", clock)

    def advance(self, seconds):
        self.js("advance(arguments[0])", seconds * 1000)

    # What a visitor does and sees

    def go(self, address):
        self.browser.get(self.origin + address)
        self.wait(lambda: self.js("return !!document.querySelector('#view h1') && document.querySelector('.dot') !== null"),
                  f"the view of {address}")

    def go_with_key(self, address, key=None):
        self.browser.get(self.origin + "/explorer/icon.svg")
        self.js("sessionStorage.setItem('kbase-key', arguments[0])", key or self.key)
        self.go(address)

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

    def text(self, selector):
        """Of the first that there is, also where it is not to be seen; "" without one."""
        return self.js("return document.querySelector(arguments[0])?.textContent ?? ''", selector)

    def wait_heading(self, text):
        self.wait(lambda: text in self.text("#view h1"), f"heading {text}")

    def focused(self):
        return self.browser.switch_to.active_element

    def focus_is_on(self, selector):
        return self.js("return document.activeElement.matches(arguments[0])", selector)

    def press(self, *keys):
        self.focused().send_keys(*keys)

    def write(self, text):
        field = self.one("#q")
        field.clear()
        field.send_keys(text)

    def click_button(self, words, within="body"):
        [button] = [button for button in self.all(f"{within} button") if words in button.text]
        button.click()

    def requests(self):
        return self.js("return performance.getEntriesByType('resource').filter(e => e.name.includes('/api/v1/') && "
                       "!e.name.endsWith('/health')).map(e => e.name)")

    def shoot(self, name):
        folder = os.environ.get("KBASE_SCREENSHOTS")
        if folder:
            pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
            self.browser.save_screenshot(f"{folder}/{name}.png")


class Disturbed(Visits):
    """The browser asks over a line that a test may disturb, and there are keys that are no good."""

    @classmethod
    def make_more_keys(cls):
        revoked = json.loads(cls.kbase.run("keys", "create", "--name", "revoked", "--plan", "wide", "--json"))
        cls.kbase.run("keys", "revoke", revoked["id"])
        cls.revoked_key = revoked["key"]
        cls.other_key = cls.kbase.key("may not read", "wide", "--scopes", "llm")

    def setUp(self):
        self.line = Line(self.kbase.url)
        self.addCleanup(self.line.close)
        self.origin = self.line.url

    def show(self, scene):
        """To one who was never here."""
        self.leave()
        SCENES[scene](self)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kbase", required=True, help="the program")
    known, rest = parser.parse_known_args()
    for needed in (CHROMIUM, DRIVER):
        if not os.access(needed, os.X_OK):
            skip(f"there is no {needed}")
    Visits.program = known.kbase
    unittest.main(module="__main__", argv=[sys.argv[0], *rest], verbosity=2)
