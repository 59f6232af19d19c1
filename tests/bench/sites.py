#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Imports real documentation trees, each with one plain command, and prints a table.

Usage: sites.py --kbase PROGRAM --data FOLDER [SITE...]
FOLDER contains a SITE.tar.gz for each tree. For each tree the table has the exit code, the time and the memory of the
import, the pages in the tree and the items made from them, and the share of items whose title or excerpt shows markup,
whose title is the one that the tree's own generator shows, and whose date is not the day of the import.

The expected title is determined here, independently of kbase: that of the front matter, else the first heading, else
the name of the file.
"""
import argparse
import datetime
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.parse
import urllib.request

from serving import Server, serve_command

PAGES = (".md", ".markdown", ".mdx", ".rst", ".org")
MARKUP = re.compile(
    r"</?[a-zA-Z][^<>]*>|<!--|\{\{[<%{#]|\{%|^\s*:::|\]\(|!\[|\[\[|\]\]|\*\*|```|^import .+ from |&[a-z]+;|^#{1,6} "
    r"|^\.\. |:[a-z]+:`", re.MULTILINE)
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)


def front_matter(text):
    """Returns the title of the front matter, or None, and the text after it."""
    for mark, pattern in (("---", r"^title:[ \t]*(.+)$"), ("+++", r"^title\s*=\s*(.+)$")):
        if text.startswith(mark):
            end = text.find("\n" + mark, 3)
            if end > 0:
                found = re.search(pattern, text[:end], re.MULTILINE | re.IGNORECASE)
                return found and found[1].strip().strip("\"'"), text[end + 4:]
    found = re.match(r"title:: (.+)", text)
    return found and found[1].strip(), text


def plain(title):
    title = re.sub(r"\{#[^}]*\}|<[^>]+>|!\[[^\]]*\]\([^)]*\)", "", title)
    title = re.sub(r"\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])", r"\1", title)
    title = re.sub(r"(`+|\*\*|__)(.+?)\1", r"\2", title)
    return " ".join(title.split())


def expected_title(path, is_graph):
    with open(path, encoding="utf-8", errors="replace") as file:
        title, text = front_matter(file.read().lstrip("\ufeff"))
    if title:
        return plain(title)
    if is_graph:
        return os.path.splitext(os.path.basename(path))[0].replace("___", "/")
    text = FENCE.sub("", text)
    headings = [re.search(pattern, text, re.MULTILINE) for pattern in (
        r"^#{1,6}[ \t]+(.+?)[ \t]*#*$", r"^(\S[^\n]*)\n(?:={2,}|-{2,})[ \t]*$", r"<h[1-6][^>]*>(.*?)</h[1-6]>",
        r"^\*+ (.+)$", r"^#\+TITLE: (.+)$")]
    found = min((heading for heading in headings if heading), key=lambda heading: heading.start(), default=None)
    return plain(found[1]) if found else None


def get(server, path):
    with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/api/v1{path}") as response:
        return json.load(response)["data"]


def read_items(server):
    """Returns the summaries of all items."""
    categories, items = [], []
    while page := get(server, f"/categories?limit=1000&offset={len(categories)}"):
        categories += page
    for category in categories:
        known = len(items)
        quoted = urllib.parse.quote(category["id"], safe="")
        while page := get(server, f"/category/{quoted}?include_items=true&limit=1000&offset={len(items) - known}")["items"]:
            items += page
    return items


def share(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "-"


def measure(kbase, tree, work):
    pages = [os.path.join(folder, name) for folder, _, names in os.walk(tree) for name in names
             if name.lower().endswith(PAGES)]
    data = os.path.join(work, "data")
    start = time.monotonic()
    run = subprocess.run(["/usr/bin/time", "-f", "peak %M", kbase, "import", "--set", f"data_dir={data}", tree],
                         capture_output=True, text=True, check=False)
    seconds = time.monotonic() - start
    peak = int(re.search(r"peak (\d+)", run.stderr)[1]) // 1024
    with Server(serve_command(kbase, data), log=os.path.join(work, "log")) as server:
        items = read_items(server)
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    # A graph of Logseq, which names pages after their files.
    is_graph = all(os.path.isdir(os.path.join(tree, name)) for name in ("pages", "journals"))
    titles = {title for page in pages if (title := expected_title(page, is_graph))}
    marked = sum(bool(MARKUP.search(item["title"]) or MARKUP.search(item["excerpt"])) for item in items)
    titled = sum(item["title"] in titles for item in items)
    dated = sum(item["metadata"]["updated"] != today for item in items)
    print(f"{os.path.basename(tree):<18}{run.returncode:>5}{seconds:>8.2f}{peak:>7}{len(pages):>7}{len(items):>7}"
          f"{share(marked, len(items)):>9}{share(titled, len(items)):>9}{share(dated, len(items)):>9}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--kbase", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("sites", nargs="*")
    options = parser.parse_args()
    archives = sorted(name for name in os.listdir(options.data) if name.endswith(".tar.gz"))
    print(f"{'site':<18}{'exit':>5}{'s':>8}{'MiB':>7}{'pages':>7}{'items':>7}{'markup':>9}{'titles':>9}{'dated':>9}")
    for archive in archives:
        site = archive.removesuffix(".tar.gz")
        if options.sites and site not in options.sites:
            continue
        with tempfile.TemporaryDirectory() as work:
            with tarfile.open(os.path.join(options.data, archive)) as tar:
                tar.extractall(work, filter="data") if hasattr(tarfile, "data_filter") else tar.extractall(work)
            measure(options.kbase, os.path.join(work, site), work)


if __name__ == "__main__":
    sys.exit(main())
