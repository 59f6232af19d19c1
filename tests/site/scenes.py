# SPDX-License-Identifier: Apache-2.0
"""Pages and dialogs that tests check on every device."""
from selenium.webdriver.common.keys import Keys

HOSTILE = "/item/hostile/markdown%20%26%20%3Cb%3E"

# Addresses of pages.
PAGES = {
    "home": "/", "search": "/search?q=rate+limit", "nothing": "/search?q=zzzzqqq", "corrected": "/search?q=rate+limmit",
    "filtered": "/search?q=index&category=operations&sort=date", "ask": "/search", "item": "/item/guide/rate-limits",
    "arabic": "/item/arabic-database", "chinese": "/item/chinese-search", "hostile": HOSTILE, "poem": "/item/poem",
    "category": "/category/guide", "popular": "/popular?period=all", "recent": "/recent", "categories": "/categories", "missing": "/item/nowhere",
    "reference": "/docs", "operation": "/docs/search-items", "completion": "/docs/complete-prompt",
}

# Name: width, height, whether it is a phone.
DEVICES = {"desktop": (1280, 800, False), "phone": (390, 844, True), "narrow": (320, 640, True), "tv": (3840, 2160, False)}
SCHEMES = ("light", "dark")


def page(address):
    return lambda visit: visit.go(address)


def dialog(visit):
    visit.go("/")
    visit.open_search()
    visit.press("back")
    visit.wait(lambda: visit.all(".search-dialog .hits a"), "results")


def response(visit):
    visit.go("/docs/search-items")
    visit.one("form.send button[type=submit]").click()
    visit.wait(lambda: visit.text("form.send .response").startswith("200"), "the response")


SCENES = {name: page(address) for name, address in PAGES.items()} | {"dialog": dialog, "response": response}
