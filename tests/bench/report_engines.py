# SPDX-License-Identifier: Apache-2.0
"""Search engines of a benchmark report. Each is a program with the line protocol of search_peer.cpp, built from
peers/ if its tool chain is installed; missing engines are reported by name."""
import functools
import glob
import os
import re
import shutil
import statistics
import subprocess
import time

from report_measurements import spread_of, summary
from report_queries import CLASSES
from search_engine import Build, Engine

PEERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers")
OLDEST_JAVA = 17
# Vectors are an incubating module of Java, which Lucene uses if it is present.
JAVA_OPTIONS = "-Xms1g -Xmx1g -XX:+UseSerialGC --add-modules jdk.incubator.vector --enable-native-access=ALL-UNNAMED"
MIN_WARM_UP, MAX_WARM_UP = 8, 60  # seconds
MIN_SPEEDUP = 0.97
LANGUAGE = "en"  # all engines stem English
BUILD_THREADS = 2  # the default of kbase; FTS5 and Xapian have one
OPERATIONS = {"count": "a page of 20 and the exact total", "top": "the page alone", "snip": "excerpts for the page"}
# Query classes measured for each operation. Excerpts cost about the same in the other classes.
MEASURED = [*(("count", each) for each in CLASSES), *(("top", each) for each in CLASSES), ("snip", "or")]
# Queries are also summarised in two groups, by the number of their matches in kbase: ranking many and few are
# different work.
MANY_MATCHES = 1000
GROUPS = {"many": f"{MANY_MATCHES:,} matches or more", "few": "fewer matches"}
MIN_GROUP = 10  # queries; fewer give no percentiles


class Missing(Exception):
    """Reason why an engine cannot be measured here."""


def run(command, **options):
    """Runs a command. Raises Missing with its first line that reports an error if it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    if done.returncode != 0:
        output = [line.strip() for line in done.stdout.splitlines() if re.search(r"(?i)error", line)]
        raise Missing(f"{os.path.basename(command[0])} failed: {(output or done.stdout.splitlines() or ['no output'])[0]}")


def require_program(program, where):
    if shutil.which(program) is None:
        raise Missing(f"{program} is not installed ({where})")


def write_script(path, command):
    """Writes a program that runs the command with its own arguments. Returns its path."""
    with open(path, "w", encoding="utf-8") as script:
        script.write(f"#!/bin/sh\nexec {command} \"$@\"\n")
    os.chmod(path, 0o755)
    return path


def copy_sources(peer, work):
    """Copies the sources to a folder in which the build may write."""
    folder = os.path.join(work, "peers", peer)
    shutil.copytree(os.path.join(PEERS, peer), folder, dirs_exist_ok=True)
    return folder


@functools.cache
def tantivy(_, work):
    require_program("cargo", "tantivy needs a newer Rust than Debian 12 provides; install one with rustup")
    folder = copy_sources("tantivy", work)
    run(["cargo", "build", "--release", "--quiet"], cwd=folder)
    return os.path.join(folder, "target", "release", "tantivy_peer")


def newest_java():
    """Returns folder and version of the newest Java in the usual installation folders; version 0 if no Java is installed."""
    compilers = glob.glob("/usr/lib/jvm/*/bin/javac") + [found for found in [shutil.which("javac")] if found]
    versions = {}
    for compiler in compilers:
        output = subprocess.run([compiler, "-version"], capture_output=True, text=True, check=False)
        number = re.search(r"javac (\d+)", output.stdout + output.stderr)
        versions[int(number.group(1)) if number else 0] = os.path.dirname(os.path.dirname(os.path.realpath(compiler)))
    return max(versions.items(), default=(0, None))


@functools.cache
def lucene(_, work):
    version, java = newest_java()
    if version < OLDEST_JAVA:
        raise Missing(f"no JDK {OLDEST_JAVA} or newer is installed (Debian's openjdk-17-jdk-headless)")
    require_program("mvn", "Debian's maven")
    folder = copy_sources("lucene", work)
    shutil.rmtree(os.path.join(folder, "jars"), ignore_errors=True)
    run(["mvn", "-q", "-B", f"-DoutputDirectory={folder}/jars", "dependency:copy-dependencies"], cwd=folder,
        env={**os.environ, "JAVA_HOME": java})
    run([f"{java}/bin/javac", "-d", f"{folder}/classes", "-cp", f"{folder}/jars/*", f"{folder}/LucenePeer.java"])
    return write_script(os.path.join(folder, "lucene_peer"),
                        f"'{java}/bin/java' {JAVA_OPTIONS} -cp '{folder}/classes:{folder}/jars/*' LucenePeer")


def with_fields(build):
    """Returns a builder of the same peer, with title, tags and content in fields of their own."""
    def build_with_fields(tools, work):
        program = build(tools, work)
        return write_script(f"{program}_fields", f"'{program}' --fields")
    return build_with_fields


def built_tool(name, package=None):
    def find(tools, _):
        program = os.path.join(tools, name)
        if not os.path.exists(program):
            raise Missing(f"not built: Debian's {package} is not installed")
        return program
    return find


# kbase is first: the others are compared with it.
ENGINES = {"kbase": built_tool("search_peer"), "tantivy": tantivy, "tantivy, 3 fields": with_fields(tantivy),
           "Lucene": lucene, "Lucene, 3 fields": with_fields(lucene),
           "FTS5": built_tool("fts5_peer", "libsqlite3-dev"), "Xapian": built_tool("xapian_peer", "libxapian-dev")}
UNSUPPORTED = {("FTS5", "typo"): "FTS5 does not correct typing errors"}


def summarise_groups(times, matches):
    """Returns the summary of each group that has enough queries."""
    groups = {"many": [], "few": []}
    for each, number in zip(times, matches):
        groups["many" if number >= MANY_MATCHES else "few"].append(each)
    return {name: {**summary(members), "queries": len(members)} for name, members in groups.items()
            if len(members) >= MIN_GROUP}


class Contender:
    """Engine with its index."""

    def __init__(self, name, program, rows, folder):
        self.name, self.program = name, program
        self.version = subprocess.run([program, "version"], capture_output=True, text=True, check=True).stdout.strip()
        self.build = Build(program, rows, folder, LANGUAGE, BUILD_THREADS)
        self.engine = None
        self.passes = {each: [] for each in MEASURED if (name, each[1]) not in UNSUPPORTED}
        self.totals = {}

    def open(self):
        self.engine = Engine(self.program, self.build.folder, LANGUAGE)

    def close(self):
        self.memory = {"peak_mib": self.engine.memory_mib("VmHWM"), "anonymous_mib": self.engine.memory_mib("RssAnon")}
        self.engine.__exit__()

    def measure_queries(self, operation, mode, queries):
        """Measures the nanoseconds of each query."""
        totals_and_times = self.engine.run_requests([(operation, mode, words) for words in queries[mode]])
        self.totals[operation, mode] = [total for total, _ in totals_and_times]
        return [nanoseconds for _, nanoseconds in totals_and_times]

    def warm_up(self, queries):
        """Repeats the queries for a minimum time, then until a pass is no faster than the fastest: JIT compilers
        work late."""
        began, fastest = time.monotonic(), float("inf")
        while True:
            duration = sum(sum(self.measure_queries(*each, queries)) for each in self.passes)
            elapsed = time.monotonic() - began
            if elapsed > MAX_WARM_UP or (elapsed > MIN_WARM_UP and duration > fastest * MIN_SPEEDUP):
                return
            fastest = min(duration, fastest)

    def results(self, matches):
        """Returns percentiles in milliseconds over the queries, and over each group of them, from the median pass of
        each; and the spread of the passes. `matches` has the matches of each query by class."""
        classes = {}
        for (operation, mode), passes in self.passes.items():
            medians = [statistics.median(times) / 1e6 for times in zip(*passes)]
            classes[f"{operation} {mode}"] = {
                **summary(medians), "spread": spread_of([sum(times) for times in passes]),
                "total": sum(self.totals[operation, mode]), "groups": summarise_groups(medians, matches[mode])}
        return {"version": self.version, "classes": classes, "memory": self.memory,
                "build": {"seconds": self.build.seconds, "peak_mib": self.build.peak_mib, "disk_mb": self.build.size_mb}}


def programs(tools, work, report):
    """Returns the engines that can be measured here, and the reasons for the others."""
    found, missing = {}, {}
    for name, get in ENGINES.items():
        report(f"building {name}")
        try:
            found[name] = get(tools, work)
        except Missing as reason:
            missing[name] = str(reason)
            report(f"continuing without {name}: {reason}")
    return found, missing


def measure(found, rows, work, queries, passes, noise, report):
    """Returns the results of every engine by name. Engines alternate, class by class, so that a disturbance
    affects all equally."""
    contenders = []
    for name, program in found.items():
        report(f"{name}: indexing")
        contenders.append(Contender(name, program, rows, os.path.join(work, f"index-{name}")))
    for contender in contenders:
        report(f"{contender.name}: warming up")
        contender.open()
        contender.warm_up(queries)
    for number in range(passes):
        report(f"pass {number + 1} of {passes}")
        order = contenders[number % len(contenders):] + contenders[:number % len(contenders)]
        for each in MEASURED:
            noise.sample()
            for contender in order:
                if each in contender.passes:
                    contender.passes[each].append(contender.measure_queries(*each, queries))
    for contender in contenders:
        contender.close()
    matches = {mode: contenders[0].totals["count", mode] for mode in CLASSES}
    return {contender.name: contender.results(matches) for contender in contenders}
