# SPDX-License-Identifier: Apache-2.0
"""Writes a benchmark report as a page of the manual with plots. The page uses only the results of one run, and
states where another engine is better."""
import os
import textwrap

from report_engines import GROUPS, MEASURED, OPERATIONS
from report_plot import digits, draw_plot
from report_queries import CLASSES

SIGNIFICANT = 1.05  # a smaller difference is not significant with a few passes
FRONT_MATTER = """---
title: "Performance: kbase compared with other engines"
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


def times(results, per_millisecond=1):
    """Formats results that are in milliseconds."""
    percentiles = " / ".join(digits(per_millisecond * results[each]) for each in ("p50", "p95", "p99"))
    return f"{percentiles} ±{results['spread']:.0%}"


def megabytes(value):
    return "not reported" if value is None else f"{value:,.0f}"


def heading(report):
    noise = report["noise"]
    text = (f"\nCost of searches, compared with other engines that run the same queries. Measured and written by `./dev report` on "
             f"{report['date']}, in one run of {report['minutes']:.0f} minutes on {report['machine']}. "
             f"Load average before the run: {noise['load']:.2f}. Between the measurements, other programs used {noise['foreign']:.2f} cores, "
             f"and the slowest tenth of a fixed computation took at least {noise['slowed']:.2f} times as long as the fastest one.\n")
    if report["complaints"]:
        text += "\n**This machine was too noisy to trust the results:** " + "; ".join(report["complaints"]) + ".\n"
    return text


# ---- where other engines are better

def describe_faster(engines, pick):
    """Describes how many times other engines are better than kbase; smaller values of `pick` are better."""
    own = pick(engines["kbase"])
    found = {name: own / pick(results) for name, results in engines.items()
             if name != "kbase" and own and pick(results) and own > pick(results) * SIGNIFICANT}
    return ", ".join(f"{name} {times:.1f} times" for name, times in sorted(found.items(), key=lambda each: -each[1]))


def with_class(engines, name):
    return {engine: results for engine, results in engines.items() if name in results["classes"]}


def with_group(engines, name, group):
    return {engine: results["classes"][name]["groups"][group] for engine, results in with_class(engines, name).items()
            if group in results["classes"][name]["groups"]}


def measured_groups(engines):
    """Yields the label of each operation and class and its group, and the engines with their summaries of it."""
    for operation, mode in MEASURED:
        for group, matches in GROUPS.items():
            found = with_group(engines, f"{operation} {mode}", group)
            if "kbase" in found:
                yield f"{CLASSES[mode]}, {OPERATIONS[operation]}", matches, found


def slower(corpus):
    """Rows of operations, and the engines that are faster."""
    rows = [[f"{label}, {matches}", found] for label, matches, found in measured_groups(corpus["engines"])]
    rows += [[f"{CLASSES[mode]}, over HTTP", {name: results["classes"][mode] for name, results in corpus["servers"].items()}]
             for mode in CLASSES]
    rows = [[label, *(describe_faster(found, lambda results, part=part: results[part]) for part in ("mean", "p50", "p99"))]
            for label, found in rows]
    return [row for row in rows if any(row[1:])]


def larger(corpus):
    """Rows of costs other than response time, and the engines that need less."""
    engines, servers = corpus["engines"], corpus["servers"]
    rows = [[label, describe_faster(engines, lambda results: results["build"][part])]
            for part, label in (("seconds", "time to build the index"), ("peak_mib", "memory to build it"), ("disk_mb", "index size"))]
    rows.append(["resident memory of the library", describe_faster(engines, lambda results: results["memory"]["peak_mib"])])
    rows.append(["pages a second over HTTP", describe_faster(servers, lambda results: 1 / results["rate"])])
    rows += [[label, describe_faster(servers, lambda results: results[part])]
             for part, label in (("fill_seconds", "time from import to first result"), ("disk_mb", "disk of the server"),
                                  ("peak_mib", "memory of the server"))]
    return [row for row in rows if row[1]]


def better_engines(corpus):
    slow, large = slower(corpus), larger(corpus)
    text = table(["faster than kbase at", "mean", "p50", "p99"], slow) if slow else ""
    text += "\n" if slow and large else ""
    text += table(["needs less than kbase", ""], large) if large else ""
    return text or "None in this run.\n"


# ---- what was measured

def engine_tables(engines):
    text = ""
    for operation, label in OPERATIONS.items():
        names = [name for name in engines["kbase"]["classes"] if name.startswith(operation + " ")]
        rows = [[engine, *(times(results["classes"][name], 1000) if name in results["classes"] else "not supported"
                           for name in names)] for engine, results in engines.items()]
        text += f"\n{label[0].upper()}{label[1:]}:\n\n" + table(["", *(CLASSES[name.split()[1]] for name in names)], rows)
    return text


def ratio_table(engines):
    """Ratio of kbase's times to those of the fastest other engine, which may be another one for each figure."""
    rows = []
    for label, matches, found in measured_groups(engines):
        others = [results for name, results in found.items() if name != "kbase"]
        if others:
            ratios = (f"{found['kbase'][part] / min(each[part] for each in others):.2f}" for part in ("mean", "p50", "p99"))
            rows.append([label, matches, found["kbase"]["queries"], *ratios])
    return table(["", "", "queries", "mean", "p50", "p99"], rows)


def resource_table(engines):
    rows = [[name, results["version"], f"{results['build']['seconds']:.1f}", megabytes(results["build"]["peak_mib"]),
             megabytes(results["build"]["disk_mb"]), megabytes(results["memory"]["peak_mib"]),
             megabytes(results["memory"]["anonymous_mib"])] for name, results in engines.items()]
    return table(["", "version", "index build, s", "peak memory of the build, MiB", "index, MB", "resident, MiB", "anonymous, MiB"],
                 rows)


def server_table(servers):
    rows = [[name, *(times(results["classes"][mode]) for mode in CLASSES)] for name, results in servers.items()]
    text = table(["", *CLASSES.values()], rows)
    rows = [[name, results["version"], f"{results['rate']:,.0f} ±{results['rate_spread']:.0%}", f"{results['fill_seconds']:.1f}",
             megabytes(results["disk_mb"]), megabytes(results["peak_mib"])] for name, results in servers.items()]
    return text + "\n" + table(["", "version", "pages a second", "import to first result, s", "disk, MB", "memory, MiB"], rows)


def totals_table(engines):
    """Ratio of the other engines' totals to kbase's, over all queries of a class."""
    rows = [[name, *(f"{results['classes'][each]['total'] / max(1, engines['kbase']['classes'][each]['total']):.2f}"
                     if each in results["classes"] else "" for each in (f"count {mode}" for mode in CLASSES))]
            for name, results in engines.items() if name != "kbase"]
    return table(["", *CLASSES.values()], rows)


def section(corpus):
    engines, servers = corpus["engines"], corpus["servers"]
    operations = ", ".join(f"{count} of {CLASSES[mode]}" for mode, count in corpus["queries"].items())
    text = f"\n## {corpus['title']}\n\n{corpus['items']:,} items with {corpus['mean_bytes']:,.0f} bytes of text on average. "
    text += f"Queries: {operations}; {corpus['source']}.\n"
    text += "\n### Where other engines are better\n\n" + better_engines(corpus)
    text += ("\n### As libraries\n\nSearches run in one thread, builds in two, except those of FTS5 and Xapian. Times in microseconds: p50 / "
             "p95 / p99 over the queries, each with its median pass, and the spread of the passes (half the interquartile range).\n")
    text += f"\n![times of the engines](performance-{corpus['name']}-engines.svg)\n" + engine_tables(engines)
    text += ("\nTimes of kbase divided by those of the fastest other engine, for queries with many and with few matches; "
             "below 1, kbase is the fastest:\n\n" + ratio_table(engines))
    text += "\n" + resource_table(engines)
    text += ("\nNumber of matches relative to kbase. Engines tokenize and stem differently; for a mistyped word, tantivy and Lucene "
             "match every word within one edit, kbase and Xapian the nearest word.\n\n")
    text += totals_table(engines)
    text += ("\n### As servers\n\nResponse times over HTTP of one client that requests 20 titles with excerpts and the exact "
             "total: p50 / p95 / p99 in milliseconds. Pages a second: all classes mixed, sixteen clients, clients and "
             f"server on the same machine.\n\n![times over HTTP](performance-{corpus['name']}-servers.svg)\n\n")
    return text + server_table(servers)


def quality_section(quality):
    engines = list(next(iter(quality.values())))
    rows = [[name, *(f"{scores[engine]:.4f}" if engine in scores else "" for engine in engines)]
            for name, scores in quality.items()]
    return ("\n## Relevance of the results\n\nnDCG@10 over judged collections. kbase is queried over HTTP with default settings, the other "
            "engines with any-word queries and their BM25, and only in English, which all of them stem.\n\n" +
            table(["", *engines], rows))


def missing_section(missing):
    if not missing:
        return ""
    return "\n## Engines that were not measured\n\n" + "\n".join(f"- {name}: {reason}" for name, reason in missing.items()) + "\n"


def method_section(report):
    return (f"\n## Method\n\n`{report['command']}`, {report['passes']} passes. The engines alternate, class by class, "
            "so that a disturbance affects all equally. Every result is computed: caches of results are disabled. If other programs "
            "use the machine, no report is written. [0034](decisions/0034-benchmark-report.md) lists and explains the settings.\n")


def wrap(text):
    """Wraps paragraphs at 120 characters; leaves tables, plots and headings unchanged."""
    return "\n".join(line if line[:1] in ("|", "!", "-", "#") else textwrap.fill(line, 120, break_on_hyphens=False)
                     for line in text.split("\n"))


def write(report, folder):
    text = heading(report)
    for corpus in report["corpora"]:
        text += section(corpus)
        engine_groups = [(CLASSES[mode], {engine: results["classes"][f"count {mode}"] for engine, results in
                                  with_class(corpus["engines"], f"count {mode}").items()}) for mode in CLASSES]
        server_groups = [(CLASSES[mode], {name: results["classes"][mode] for name, results in corpus["servers"].items()})
                  for mode in CLASSES]
        for name, title, groups in (("engines", "A page of 20 and the exact total, one thread", engine_groups),
                                    ("servers", "A page of 20 with excerpts and the exact total, over HTTP", server_groups)):
            with open(os.path.join(folder, f"performance-{corpus['name']}-{name}.svg"), "w", encoding="utf-8") as plot:
                plot.write(draw_plot(f"{title}: {corpus['items']:,} items", groups))
    if report["quality"]:
        text += quality_section(report["quality"])
    text += missing_section(report["missing"]) + method_section(report)
    path = os.path.join(folder, "performance.md")
    with open(path, "w", encoding="utf-8") as page:
        page.write(FRONT_MATTER.format(day=report["date"][:10]) + wrap(text))
    return path
