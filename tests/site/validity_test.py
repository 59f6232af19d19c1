#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what the pages say to programs: the sitemap against the schema of sitemaps.org, and the structured data of
articles against the vocabulary of schema.org, as types of TypeScript. See visits.py."""
import json
import re
import shutil
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.request

import browser_tools
import visits
from scenes import PAGES
from served_kbase import ServedKbase

KINDS = {"TechArticle", "BreadcrumbList", "FAQPage"}  # schema.org
FACTS = re.compile(r'<script type="application/ld\+json">(.*?)</script>', re.DOTALL)
FAQ = """# Questions

## How do I start?

Run `kbase serve`.

## Where is the data?

In the folder `data`.
"""


class Validity(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tools = browser_tools.install()
        cls.kbase = cls.enterClassContext(ServedKbase(visits.Visits.program, *visits.Visits.settings))
        folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        with open(f"{folder}/faq.md", "w", encoding="utf-8") as file:
            file.write(FAQ)
        for content in (*visits.Visits.imports, folder):
            cls.kbase.run("import", str(content))
        cls.kbase.serve()
        cls.server = cls.kbase.url.removesuffix("/api/v1")

    def read(self, path):
        with urllib.request.urlopen(self.server + path) as answer:
            return answer.read().decode()

    def test_the_sitemap_follows_its_schema(self):
        if shutil.which("xmllint") is None:
            self.skipTest("xmllint is not installed")
        schema = self.tools / "node_modules/sitemap/schema/all.xsd"
        done = subprocess.run(["xmllint", "--nonet", "--noout", "--schema", schema, "-"], input=self.read("/sitemap.xml"),
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_every_address_of_the_sitemap_is_a_page(self):
        addresses = re.findall(r"<loc>(.*?)</loc>", self.read("/sitemap.xml"))
        self.assertGreater(len(addresses), 100)
        for address in addresses:
            with urllib.request.urlopen(address.replace("&amp;", "&")) as answer:
                self.assertEqual(answer.status, 200, address)

    def test_facts_of_pages_follow_the_vocabulary(self):
        found, lines = set(), ['import type { Thing, WithContext } from "schema-dts";']
        for path in (*PAGES.values(), "/item/faq"):
            try:
                page = self.read(path)
            except urllib.error.HTTPError:
                continue  # a scene of a page that does not exist
            for text in FACTS.findall(page):
                facts = json.loads(text)
                found.add(facts["@type"])
                lines.append(f"export const f{len(lines)}: WithContext<Thing> = {json.dumps(facts)};")
        self.assertEqual(found & KINDS, KINDS)
        source = self.tools / "facts.ts"
        source.write_text("\n".join(lines), encoding="utf-8")
        done = subprocess.run(["node", "node_modules/typescript/bin/tsc", "--noEmit", "--strict", "--skipLibCheck",
                               "--moduleResolution", "bundler", "--module", "es2022", "--target", "es2022", source.name],
                              cwd=self.tools, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    visits.main()
