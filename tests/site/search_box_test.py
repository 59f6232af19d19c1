#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The search box on a website of another origin, served by nginx if it is installed, else by Python. See visits.py."""
import functools
import http.server
import json
import pathlib
import shutil
import socket
import subprocess
import tempfile
import threading

import visits
from selenium.webdriver.common.keys import Keys

PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Site</title>
<style>:root {{ --kbase-accent: rgb(1, 2, 3); }} dialog {{ display: none !important; }} input {{ color: red; }}</style>
<script src="{server}/search.js" data-label="Find" defer></script></head>
<body><h1>Site</h1><button type="button" data-kbase-search>Search</button><p><input id="own" aria-label="own"></p></body></html>"""
NGINX = """daemon off; pid {folder}/pid; error_log {folder}/error.log;
events {{}}
http {{ access_log off; client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;
  uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
  server {{ listen 127.0.0.1:{port}; root {folder}/site; }} }}
"""
ROOT = "return document.querySelector('kbase-search')?.shadowRoot"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class StaticSite:
    """Serves the folder until the end of the `with` block."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.stop = lambda: None

    def __enter__(self):
        nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
        if nginx is None:
            handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=self.folder / "site")
            handler.func.log_message = lambda *_: None
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
            threading.Thread(target=server.serve_forever, daemon=True).start()
            self.stop = server.shutdown
            port = server.server_address[1]
        else:
            port = free_port()
            config = self.folder / "nginx.conf"
            config.write_text(NGINX.format(folder=self.folder, port=port), encoding="utf-8")
            process = subprocess.Popen([nginx, "-c", str(config)], stderr=subprocess.DEVNULL)
            self.stop = lambda: (process.terminate(), process.wait())
        self.url = f"http://127.0.0.1:{port}"
        return self

    def __exit__(self, *_):
        self.stop()


@visits.on_each_screen
class SearchBox(visits.Visits):
    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="kbase-site-")))
        folder.chmod(0o755)  # nginx may read it as another user
        content = folder / "pages.jsonl"
        pages = [{"id": f"page-{number}", "title": title, "category": "site", "tags": [], "related": [],
                  "url": f"https://www.example.org/{number}.html", "content": text}
                 for number, (title, text) in enumerate([("Install the program", "Download it.\n\n## On Debian\n\nUse the package manager."),
                                                         ("Configure the program", "Write a file.")])]
        content.write_text("\n".join(json.dumps(page) for page in pages), encoding="utf-8")
        cls.imports = (content,)
        super().setUpClass()
        (folder / "site").mkdir()
        (folder / "site/index.html").write_text(PAGE.format(server=cls.server), encoding="utf-8")
        cls.site = cls.enterClassContext(StaticSite(folder))

    def setUp(self):
        super().setUp()
        self.browser.get("about:blank")
        self.wait(self.shows_site, "the site")

    def shows_site(self):
        self.browser.get(self.site.url)
        return self.all("h1")

    def rows(self):
        return self.js(f"{ROOT}?.querySelectorAll('[role=option]') ? [...{ROOT[7:]}.querySelectorAll('[role=option]')]"
                       ".map(row => [row.textContent, row.querySelector('a').href, row.getAttribute('aria-selected')]) : []")

    def is_open(self):
        return self.js(f"{ROOT}?.querySelector('dialog').open ?? false")

    def test_control_k_slash_and_a_button_open_it(self):
        for open_it in (lambda: self.press(Keys.CONTROL, "k"), lambda: self.press("/"),
                        lambda: self.one("[data-kbase-search]").click()):
            self.js("document.activeElement.blur()")
            open_it()
            self.assertTrue(self.is_open())
            self.press(Keys.ESCAPE)
            self.wait(lambda: not self.is_open())

    def test_a_slash_in_a_field_is_text(self):
        self.one("#own").send_keys("/")
        self.assertFalse(self.is_open())

    def test_it_finds_while_typing_and_leads_to_the_section_of_the_site(self):
        self.press("/")
        self.press("package mana")
        self.wait(lambda: len(self.rows()) == 1, "one result")
        [[text, address, _]] = self.rows()
        self.assertIn("Install the program", text)
        self.assertIn("On Debian", text)
        self.assertEqual(address, "https://www.example.org/0.html#on-debian")

    def test_the_arrow_keys_choose(self):
        self.press("/")
        self.press("program")
        self.wait(lambda: len(self.rows()) == 2, "two results")
        self.press(Keys.ARROW_DOWN)
        self.assertEqual([row[2] for row in self.rows()], ["true", "false"])
        self.press(Keys.ARROW_UP)
        self.assertEqual([row[2] for row in self.rows()], ["false", "true"])
        self.assertEqual(self.js(f"{ROOT}.querySelector('[role=combobox]').getAttribute('aria-activedescendant')"), "hit-1")

    def test_styles_of_the_site_do_not_reach_it_but_its_variables_do(self):
        self.press("/")
        self.assertNotEqual(self.js(f"return getComputedStyle({ROOT[7:]}.querySelector('dialog')).display"), "none")
        self.assertNotEqual(self.js(f"return getComputedStyle({ROOT[7:]}.querySelector('input')).color"), "rgb(255, 0, 0)")
        self.press("program")
        self.wait(lambda: self.rows())
        self.press(Keys.ARROW_DOWN)
        color = self.js(f"return getComputedStyle({ROOT[7:]}.querySelector('[aria-selected=true] a')).borderInlineStartColor")
        self.assertEqual(color, "rgb(1, 2, 3)")

    def test_it_fits_the_screen(self):
        self.press("/")
        self.press("program")
        self.wait(lambda: self.rows())
        self.save_screenshot(f"search-box-{self.screen[0]}")
        box = self.js(f"const box = {ROOT[7:]}.querySelector('dialog').getBoundingClientRect(); return [box.left, innerWidth - box.right]")
        self.assertGreaterEqual(min(box), 0)


if __name__ == "__main__":
    visits.main()
