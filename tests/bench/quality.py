# SPDX-License-Identifier: Apache-2.0
"""Relevance of the first ten results: nDCG@10 (Järvelin & Kekäläinen 2002, gain = grade) over judged collections,
searched through HTTP with default settings; as typed, and with a typing error in every second word of four or
more letters, not in its first letter."""
import gzip
import http.client
import json
import math
import os
import random
import subprocess
import urllib.parse

from serving import Server, serve_command

MOST_CODE_POINTS = 2048
TOP = 10


def read_lines(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def with_typos(text, chance):
    """Adds one of four kinds of typing error to every second word of four or more letters, with probability
    `chance`."""
    words, long_ones = text.split(" "), 0
    for i, word in enumerate(words):
        if len(word) < 4 or not word.isalpha() or not word.isascii():
            continue
        long_ones += 1
        if long_ones % 2 == 0:
            continue
        at = chance.randrange(1, len(word) - 1)
        letter = chance.choice("abcdefghijklmnopqrstuvwxyz")
        words[i] = chance.choice([
            word[:at] + word[at + 1:],
            word[:at] + letter + word[at:],
            word[:at] + letter + word[at + 1:],
            word[:at] + word[at + 1] + word[at] + word[at + 2:],
        ])
    return " ".join(words)


def as_query(text):
    """Converts a judged text to a query. The texts do not use kbase's query syntax, so quotation marks are
    removed. A text longer than the query limit is cut at a word boundary."""
    text = text.replace('"', " ")
    return text if len(text) <= MOST_CODE_POINTS else text[:MOST_CODE_POINTS].rsplit(" ", 1)[0]


def ndcg(ids, grades):
    gain = sum(grades.get(id, 0) / math.log2(rank + 2) for rank, id in enumerate(ids[:TOP]))
    best = sum(grade / math.log2(rank + 2) for rank, grade in
               enumerate(sorted(grades.values(), reverse=True)[:TOP]))
    return gain / best if best else None


class Collection:
    def __init__(self, folder):
        self.name = os.path.basename(folder)
        self.documents = read_lines(os.path.join(folder, "corpus.jsonl.gz"))
        self.queries = read_lines(os.path.join(folder, "queries.jsonl"))
        self.grades = {}
        with open(os.path.join(folder, "qrels.tsv"), encoding="utf-8") as judgements:
            for line in judgements:
                query, document, grade = line.rstrip("\n").split("\t")
                self.grades.setdefault(query, {})[document] = int(grade)

    def write_items(self, path):
        with open(path, "w", encoding="utf-8") as items:
            for document in self.documents:
                item = {"id": document["id"], "title": document["title"] or document["id"], "category": "all",
                        "content": document["text"]}
                items.write(json.dumps(item, ensure_ascii=False) + "\n")

    def score(self, port, change=lambda text: text):
        """Returns the mean over the queries with a relevant document."""
        connection = http.client.HTTPConnection("127.0.0.1", int(port))
        scores = []
        for query in self.queries:
            grades = self.grades.get(query["id"], {})
            if not any(grades.values()):
                continue
            query_string = urllib.parse.urlencode({"q": as_query(change(query["text"])), "limit": TOP + 1})
            connection.request("GET", f"/api/v1/search?{query_string}")
            answer = json.loads(connection.getresponse().read())
            results = answer["data"] if answer["success"] else []
            scores.append(ndcg([each["id"] for each in results if each["id"] != query["id"]], grades))
        return sum(scores) / len(scores)


def score_kbase(kbase, collection, work, settings=()):
    """Returns the score as typed, and with typing errors."""
    store, items = os.path.join(work, f"store-{collection.name}"), os.path.join(work, "items.jsonl")
    collection.write_items(items)
    arguments = [word for setting in (f"data_dir={store}", *settings) for word in ("--set", setting)]
    subprocess.run([kbase, "import", *arguments, items], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with Server(serve_command(kbase, store, "logging.level=error", *settings)) as server:
        typed = collection.score(server.port)
        chance = random.Random(1)
        return typed, collection.score(server.port, lambda text: with_typos(text, chance))


def measure(kbase, folder, work, settings=()):
    """Prints one line for each collection in `folder`."""
    for name in sorted(os.listdir(folder)):
        typed, with_errors = score_kbase(kbase, Collection(os.path.join(folder, name)), work, settings)
        print(f"quality {name:12} nDCG@10 {typed:.4f}   with typos {with_errors:.4f} ({with_errors / typed:.0%})", flush=True)
