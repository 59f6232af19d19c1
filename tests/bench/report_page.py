# SPDX-License-Identifier: Apache-2.0
"""Writes a benchmark report as a page of the manual with plots. The page uses only the results of one run, and
states where another engine is better."""
import os
import textwrap

from report_engines import ASKED, OPERATIONS
from report_plot import digits, ranges
from report_queries import CLASSES

AHEAD = 1.05  # a smaller difference is not significant with a few passes
FRONT = """---
title: "Performance: kbase beside other engines"
tags: [performance, benchmark, latency, throughput, memory, tantivy, Lucene, FTS5, Xapian, OpenSearch]
author: kbase
created: {day}
updated: {day}
related: [capacity, search-engine, 0019-own-search-engine, 0034-benchmark-report]
---
"""


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines) + "\n"


def times(figures, per_millisecond=1):
    """Formats results that are in milliseconds."""
    of_queries = " / ".join(digits(per_millisecond * figures[each]) for each in ("p50", "p95", "p99"))
    return f"{of_queries} ±{figures['spread']:.0%}"


def megabytes(value):
    return "not told" if value is None else f"{value:,.0f}"


def heading(report):
    noise = report["noise"]
    text = (f"\nWhat a search costs, beside other engines that were asked the same. `./dev report` measured and wrote this on "
             f"{report['date']}, in one run of {report['minutes']:.0f} minutes on {report['machine']}. "
             f"Before it, the load was {noise['load']:.2f}; between the turns others worked on {noise['foreign']:.2f} cores, "
             f"and the slowest tenth of a fixed piece of work took {noise['slowed']:.2f} times as long as the quickest.\n")
    if report["complaints"]:
        text += "\n**This machine was too noisy to believe the figures:** " + "; ".join(report["complaints"]) + ".\n"
    return text


# ---- where other engines are better

def ahead(engines, pick):
    """Describes how many times other engines are better than kbase; smaller values of `pick` are better."""
    ours = pick(engines["kbase"])
    found = {name: ours / pick(figures) for name, figures in engines.items()
             if name != "kbase" and ours and pick(figures) and ours > pick(figures) * AHEAD}
    return ", ".join(f"{name} {times:.1f} times" for name, times in sorted(found.items(), key=lambda each: -each[1]))


def with_class(engines, name):
    return {engine: figures for engine, figures in engines.items() if name in figures["classes"]}


def slower(corpus):
    """Rows of operations, and the engines that are faster."""
    asked = [(f"{CLASSES[mode]}, {OPERATIONS[operation]}", f"{operation} {mode}", corpus["engines"])
             for operation, mode in ASKED] + [(f"{CLASSES[mode]}, over HTTP", mode, corpus["servers"]) for mode in CLASSES]
    rows = [[called, *(ahead(with_class(engines, name), lambda figures: figures["classes"][name][part])
                       for part in ("p50", "p99"))] for called, name, engines in asked]
    return [row for row in rows if any(row[1:])]


def larger(corpus):
    """Rows of costs other than response time, and the engines that need less."""
    engines, servers = corpus["engines"], corpus["servers"]
    rows = [[called, ahead(engines, lambda figures: figures["build"][part])]
            for part, called in (("seconds", "time to build the index"), ("peak_mib", "memory to build it"), ("disk_mb", "its size"))]
    rows.append(["resident memory of the library", ahead(engines, lambda figures: figures["memory"]["peak_mib"])])
    rows.append(["pages a second over HTTP", ahead(servers, lambda figures: 1 / figures["rate"])])
    rows += [[called, ahead(servers, lambda figures: figures[part])]
             for part, called in (("filled_in", "from items to the server's answers"), ("disk_mb", "disk of the server"),
                                  ("peak_mib", "memory of the server"))]
    return [row for row in rows if row[1]]


def losses(corpus):
    slow, large = slower(corpus), larger(corpus)
    text = table(["quicker than kbase at", "half of all queries", "the slowest hundredth"], slow) if slow else ""
    text += "\n" if slow and large else ""
    text += table(["less than kbase's", ""], large) if large else ""
    return text or "Nowhere in this run.\n"


# ---- what was measured

def engine_tables(engines):
    text = ""
    for operation, called in OPERATIONS.items():
        names = [name for name in engines["kbase"]["classes"] if name.startswith(operation + " ")]
        rows = [[engine, *(times(figures["classes"][name], 1000) if name in figures["classes"] else "does not offer it"
                           for name in names)] for engine, figures in engines.items()]
        text += f"\n{called[0].upper()}{called[1:]}:\n\n" + table(["", *(CLASSES[name.split()[1]] for name in names)], rows)
    return text


def resource_table(engines):
    rows = [[name, figures["version"], f"{figures['build']['seconds']:.1f}", megabytes(figures["build"]["peak_mib"]),
             megabytes(figures["build"]["disk_mb"]), megabytes(figures["memory"]["peak_mib"]),
             megabytes(figures["memory"]["anonymous_mib"])] for name, figures in engines.items()]
    return table(["", "version", "index built in, s", "memory for it, MiB", "index, MB", "resident, MiB", "of it no files, MiB"],
                 rows)


def server_table(servers):
    rows = [[name, *(times(figures["classes"][mode]) for mode in CLASSES)] for name, figures in servers.items()]
    text = table(["", *CLASSES.values()], rows)
    rows = [[name, figures["version"], f"{figures['rate']:,.0f} ±{figures['rate_spread']:.0%}", f"{figures['filled_in']:.1f}",
             megabytes(figures["disk_mb"]), megabytes(figures["peak_mib"])] for name, figures in servers.items()]
    return text + "\n" + table(["", "version", "pages a second", "from items to answers, s", "disk, MB", "memory, MiB"], rows)


def agreement(engines):
    """Ratio of the other engines' totals to kbase's, over all queries of a class."""
    rows = [[name, *(f"{figures['classes'][each]['total'] / max(1, engines['kbase']['classes'][each]['total']):.2f}"
                     if each in figures["classes"] else "" for each in (f"count {mode}" for mode in CLASSES))]
            for name, figures in engines.items() if name != "kbase"]
    return table(["", *CLASSES.values()], rows)


def section(corpus):
    engines, servers = corpus["engines"], corpus["servers"]
    asked = ", ".join(f"{count} of {CLASSES[mode]}" for mode, count in corpus["queries"].items())
    text = f"\n## {corpus['title']}\n\n{corpus['items']:,} items with {corpus['mean_bytes']:,.0f} bytes of text in the mean. "
    text += f"Queries: {asked}; {corpus['source']}.\n"
    text += "\n### Where others are ahead\n\n" + losses(corpus)
    text += ("\n### As libraries\n\nOne thread, microseconds: p50 / p95 / p99 over the queries, of each query's median pass, and "
             "how far the passes are apart (half the distance of their quartiles).\n")
    text += f"\n![times of the engines](performance-{corpus['name']}-engines.svg)\n" + engine_tables(engines)
    text += "\n" + resource_table(engines)
    text += ("\nTotals of the others, as parts of kbase's. Engines cut and stem words differently; a mistyped word is any word "
             "that is one mistake away for tantivy and Lucene, and the nearest word for kbase and Xapian.\n\n")
    text += agreement(engines)
    text += ("\n### As servers\n\nThe whole way over HTTP of one client, who asks for 20 titles with excerpts and the exact "
             "total: p50 / p95 / p99 in milliseconds. Pages a second are of all classes, for sixteen clients, client and "
             f"server on the same machine.\n\n![times over HTTP](performance-{corpus['name']}-servers.svg)\n\n")
    return text + server_table(servers)


def quality_section(quality):
    engines = list(next(iter(quality.values())))
    rows = [[name, *(f"{scores[engine]:.4f}" if engine in scores else "" for engine in engines)]
            for name, scores in quality.items()]
    return ("\n## How good the answers are\n\nnDCG@10 over judged collections. kbase is asked over HTTP with its defaults, the "
            "others for any of the words with their BM25, and only in English, which all of them stem.\n\n" +
            table(["", *engines], rows))


def missing_section(missing):
    if not missing:
        return ""
    return "\n## Not measured here\n\n" + "\n".join(f"- {name}: {reason}" for name, reason in missing.items()) + "\n"


def ending(report):
    return (f"\n## How it was measured\n\n`{report['command']}`, {report['passes']} passes. The engines take turns, class by class, "
            "so that a disturbance hits all alike, and every answer is worked out: no engine may keep one. A machine that others "
            "use gives no report. [0034](decisions/0034-benchmark-report.md) tells the settings of each engine and why.\n")


def wrapped(text):
    """Wraps paragraphs at 120 characters; leaves tables, plots and headings unchanged."""
    return "\n".join(line if line[:1] in ("|", "!", "-", "#") else textwrap.fill(line, 120, break_on_hyphens=False)
                     for line in text.split("\n"))


def write(report, folder):
    text = heading(report)
    for corpus in report["corpora"]:
        text += section(corpus)
        count = [(CLASSES[mode], {engine: figures["classes"][f"count {mode}"] for engine, figures in
                                  with_class(corpus["engines"], f"count {mode}").items()}) for mode in CLASSES]
        served = [(CLASSES[mode], {name: figures["classes"][mode] for name, figures in corpus["servers"].items()})
                  for mode in CLASSES]
        for name, title, groups in (("engines", "A page of 20 and the exact total, one thread", count),
                                    ("servers", "A page of 20 with excerpts and the exact total, over HTTP", served)):
            with open(os.path.join(folder, f"performance-{corpus['name']}-{name}.svg"), "w", encoding="utf-8") as plot:
                plot.write(ranges(f"{title}: {corpus['items']:,} items", groups))
    if report["quality"]:
        text += quality_section(report["quality"])
    text += missing_section(report["missing"]) + ending(report)
    path = os.path.join(folder, "performance.md")
    with open(path, "w", encoding="utf-8") as page:
        page.write(FRONT.format(day=report["date"][:10]) + wrapped(text))
    return path
