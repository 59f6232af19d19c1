# SPDX-License-Identifier: Apache-2.0
"""Views and dialogs that tests check on every device."""
from selenium.webdriver.common.keys import Keys

HOSTILE = "/?item=hostile%2Fmarkdown+%26+%3Cb%3E"

# Addresses of the explorer's views.
VIEWS = {
    "home": "/", "search": "/?q=rate+limit", "nothing": "/?q=zzzzqqq", "filtered": "/?q=index&category=operations&sort=date",
    "item": "/?item=guide%2Frate-limits", "arabic": "/?item=arabic-database", "chinese": "/?item=chinese-search", "hostile": HOSTILE,
    "poem": "/?item=poem", "categories": "/?view=categories", "category": "/?category=guide",
    "popular": "/?view=popular&period=all", "recent": "/?view=recent", "stats": "/?view=stats", "missing": "/?item=nowhere",
}

# Name: width, height, whether it is a phone.
DEVICES = {"desktop": (1280, 800, False), "phone": (390, 844, True), "narrow": (320, 640, True)}
SCHEMES = ("light", "dark")


def view(address):
    return lambda visit: visit.go_with_key(address)


def filters(visit):
    visit.go_with_key("/?q=index")
    if not visit.one("details.filters").get_attribute("open"):
        visit.one("details.filters > summary").click()
    visit.one("details.dates > summary").click()
    visit.wait(lambda: visit.all("#updated_to"))


def key_panel(visit):
    visit.go("/")
    visit.one(".quota-button").click()


def wrong_key(visit):
    key_panel(visit)
    visit.one("dialog[open] input[type=password]").send_keys("kb_mistyped" + Keys.ENTER)


def key_in_use(visit):
    visit.go_with_key("/")
    visit.one(".quota-button").click()


def requests_panel(visit):
    visit.go_with_key("/?q=rate+limit")
    visit.click_button("API requests", "footer")


def help_panel(visit):
    visit.go_with_key("/?q=rate+limit")
    visit.click_button("Keyboard shortcuts", "footer")


def source(visit):
    visit.go_with_key("/?item=guide%2Frate-limits")
    visit.click_button("Show source")


def suggestions(visit):
    visit.proxy.responses["/api/v1/suggest"] = {"data": [
        {"text": "backup and restore", "kind": "query"}, {"text": "Backup and restore", "kind": "title", "id": "operations/backup"},
        {"text": "نسخ احتياطي", "kind": "query"}]}
    visit.go_with_key("/")
    visit.write("backup")
    visit.wait_heading("backup")
    visit.wait(lambda: len(visit.all("#suggestions li")) == 3, "three suggestions")
    visit.press(Keys.ARROW_DOWN)


def used_up(visit):
    visit.proxy.reject("/api/v1/search", times=1, seconds=60)
    visit.go("/?q=backup")
    visit.wait_heading("Too many requests")


def refused_key(visit):
    visit.go_with_key("/", visit.revoked_key)
    visit.go("/?q=backup")
    visit.wait_heading("not accepted")


def reference(visit):
    visit.browser.get(visit.origin + "/docs")
    visit.wait(lambda: visit.all("main .operation"), "the API description")


def operation(visit):
    reference(visit)
    visit.js("for (const fold of [...document.querySelectorAll('main .operation')].at(1).querySelectorAll('details')) fold.open = true;"
             "document.querySelectorAll('main .operation h3')[1].scrollIntoView()")


def found_operations(visit):
    reference(visit)
    visit.one("#find").send_keys("search")


SCENES = {name: view(address) for name, address in VIEWS.items()} | {
    "filters": filters, "key": key_panel, "key-wrong": wrong_key, "key-in-use": key_in_use, "requests": requests_panel,
    "help": help_panel, "source": source, "suggestions": suggestions, "used-up": used_up, "key-refused": refused_key, "reference": reference,
    "operation": operation, "operations-found": found_operations,
}
