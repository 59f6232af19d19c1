#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Imports real documentation trees, each with one plain command, and prints a table.

Usage: sites.py --kbase PROGRAM --data FOLDER [--show] [SITE...]
FOLDER contains a SITE.tar.gz for each tree. For each tree the table has the exit code, the time and the memory of the
import, the pages in the tree and the items made from them, and the share of items whose title or excerpt shows markup
outside of code, whose title is the one that the tree's own generator shows, and whose date is not the day of the import.

The expected title is determined here, independently of kbase: that of the front matter, else the first heading, else
the name of the file.
"""
import argparse
import datetime
import html
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

PAGES = (".md", ".markdown", ".mdx", ".rst", ".org", ".html")
MARKUP = re.compile(
    r"</?[a-zA-Z][^<>]*>|<!--|\{\{[<%{#]|\{%|^\s*:::|\]\(|!\[|\[\[|\]\]|\*\*|```|^import .+ from |&[a-z]+;|^#{1,6} "
    r"|^\.\. |:[a-z]+:`", re.MULTILINE)
# A match of MARKUP with the rest of its words.
MARKED_WORD = re.compile(rf"\S*(?:{MARKUP.pattern})\S*", re.MULTILINE)
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"^[ \t]*(?:```|~~~).*?^[ \t]*(?:```|~~~)|(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)|<(?P<tag>code|pre)\b.*?</(?P=tag)>"
                  r"|^(?: {4}|\t).*$|\{% highlight .*?\{% endhighlight|^\.\. code-block::.*?(?=^\S)", re.MULTILINE | re.DOTALL)


def front_matter(text):
    """Returns the title of the front matter, or None, and the text after it."""
    for mark, pattern in (("---", r"^title:[ \t]*(.+)$"), ("+++", r"^title\s*=\s*(.+)$")):
        if text.startswith(mark):
            end = text.find("\n" + mark, 3)
            if end > 0:
                found = re.search(pattern, text[:end], re.MULTILINE | re.IGNORECASE)
                return found and found[1].strip().strip("\"'").replace("\\\"", "\""), text[end + 4:]
    found = re.match(r"title:: (.+)", text)
    return found and found[1].strip(), text


def plain(title):
    """Returns the text of a title, in which code stays as it is written."""
    spans = []
    title = re.sub(r"(`+)(.+?)\1", lambda span: spans.append(span[2]) or f"\0{len(spans) - 1}\0", title)
    return re.sub("\0(\\d+)\0", lambda number: spans[int(number[1])], plain_without_code(title))


def plain_without_code(title):
    title = re.sub(r"\{#[^}]*\}|<[^>]+>|!\[[^\]]*\]\([^)]*\)", "", title)
    title = re.sub(r"\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])", r"\1", title)
    title = re.sub(r"(\*\*|__)(.+?)\1", r"\2", title)
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
        r"^#{1,6}[ \t]+(.+?)[ \t]*#*$", r"^(\S[^\n]*)\n(?:={2,}|-{2,}|\*{2,}|#{2,}|~{2,})[ \t]*$", r"<h[1-6][^>]*>(.*?)</h[1-6]>",
        r"^\*+ (.+)$", r"^#\+TITLE: (.+)$")]
    found = min((heading for heading in headings if heading), key=lambda heading: heading.start(), default=None)
    return plain(found[1]) if found else None


def code_of(pages):
    """Returns all code in the pages as one text without white space."""
    parts = []
    for page in pages:
        with open(page, encoding="utf-8", errors="replace") as file:
            parts += [html.unescape(found[0]) for found in CODE.finditer(file.read())]
    return "".join("".join(parts).split())


def has_markup(text, code):
    """Whether the text has markup that is not code, which stays as it is written."""
    return any("".join(found[0].split()).strip("….,;:") not in code for found in MARKED_WORD.finditer(text) if MARKUP.search(found[0]))


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


def measure(kbase, tree, work, show):
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
    code = code_of(pages)
    marked = [item for item in items if has_markup(item["title"], code) or has_markup(item["excerpt"], code)]
    titled = sum(item["title"] in titles for item in items)
    if show:
        for item in marked:
            print(f"markup: {item['id']}: {item['title']!r} {item['excerpt']!r}")
        for item in items:
            if item["title"] not in titles:
                print(f"title: {item['id']}: {item['title']!r}")
    dated = sum(item["metadata"]["updated"] != today for item in items)
    print(f"{os.path.basename(tree):<18}{run.returncode:>5}{seconds:>8.2f}{peak:>7}{len(pages):>7}{len(items):>7}"
          f"{share(len(marked), len(items)):>9}{share(titled, len(items)):>9}{share(dated, len(items)):>9}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--kbase", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--show", action="store_true", help="list the items with markup or another title")
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
            measure(options.kbase, os.path.join(work, site), work, options.show)


if __name__ == "__main__":
    sys.exit(main())
