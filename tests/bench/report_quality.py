# SPDX-License-Identifier: Apache-2.0
"""Relevance of the engines' results, over the judged collections of quality.py."""
import os
import re
import statistics

from report_engines import LANGUAGE
from quality import Collection, ndcg, score_kbase
from search_engine import Build, Engine, on_one_line

OTHER_LANGUAGE = re.compile(r"-(?!en$)[a-z]{2}$")  # suffix of collections in other languages


def score_peer(program, collection, folder):
    """Returns the mean over the queries with a relevant document, each as an any-word query."""
    rows = os.path.join(folder, "judged.tsv")
    with open(rows, "w", encoding="utf-8") as lines:
        for document in collection.documents:
            lines.write("\t".join((on_one_line(document["title"]), "", on_one_line(document["text"]))) + "\n")
    build = Build(program, rows, os.path.join(folder, "judged"), LANGUAGE)
    judged = [query for query in collection.queries if any(collection.grades.get(query["id"], {}).values())]
    with Engine(program, build.folder, LANGUAGE) as engine:
        results = engine.top_items([("top", "or", " ".join(re.findall(r"\w+", query["text"]))) for query in judged])
    scores = []
    for query, numbers in zip(judged, results):
        ids = [collection.documents[int(number)]["id"] for number in numbers if number]
        scores.append(ndcg([each for each in ids if each != query["id"]], collection.grades[query["id"]]))
    return statistics.fmean(scores)


def measure(kbase, engines, judged, folder, report):
    """Returns the scores by collection and engine."""
    found = {}
    for name in sorted(os.listdir(judged)):
        report(f"relevance of {name}")
        collection = Collection(os.path.join(judged, name))
        found[name] = {"kbase": score_kbase(kbase, collection, folder)[0]}
        if not OTHER_LANGUAGE.search(name):
            found[name] |= {peer: score_peer(program, collection, folder) for peer, program in engines.items()
                            if peer != "kbase"}
    return found
