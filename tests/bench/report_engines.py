# SPDX-License-Identifier: Apache-2.0
"""Search engines of a benchmark report. Each is a program with the line protocol of search_peer.cpp, built from
peers/ if its tool chain is installed; missing engines are reported by name."""
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
LEAST_WARM_UP, MOST_WARM_UP = 8, 60  # seconds
NO_QUICKER = 0.97
LANGUAGE = "en"  # all engines stem English
OPERATIONS = {"count": "a page of 20 and the exact total", "top": "the page alone", "snip": "excerpts for the page"}
# Query classes measured for each operation. "Page alone" and excerpts cost about the same in the other classes.
ASKED = [*(("count", each) for each in CLASSES), ("top", "term"), ("top", "and"), ("top", "or"), ("snip", "or")]


class Missing(Exception):
    """Reason why an engine cannot be measured here."""


def run(command, **options):
    """Runs a command. Raises Missing with its last line of output if it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    if done.returncode != 0:
        said = [line.strip() for line in done.stdout.splitlines() if re.search(r"(?i)error", line)]
        raise Missing(f"{os.path.basename(command[0])} failed: {(said or done.stdout.splitlines() or ['silently'])[0]}")


def needs(program, where):
    if shutil.which(program) is None:
        raise Missing(f"no {program} is installed ({where})")


def copy_of(peer, work):
    """Copies the sources to a folder in which the build may write."""
    folder = os.path.join(work, "peers", peer)
    shutil.copytree(os.path.join(PEERS, peer), folder, dirs_exist_ok=True)
    return folder


def tantivy(_, work):
    needs("cargo", "tantivy wants a newer Rust than Debian 12 has; rustup installs one")
    folder = copy_of("tantivy", work)
    run(["cargo", "build", "--release", "--quiet"], cwd=folder)
    return os.path.join(folder, "target", "release", "tantivy_peer")


def newest_java():
    """Returns folder and version of the newest Java in the usual installation folders; version 0 if there is none."""
    compilers = glob.glob("/usr/lib/jvm/*/bin/javac") + [found for found in [shutil.which("javac")] if found]
    versions = {}
    for compiler in compilers:
        said = subprocess.run([compiler, "-version"], capture_output=True, text=True, check=False)
        number = re.search(r"javac (\d+)", said.stdout + said.stderr)
        versions[int(number.group(1)) if number else 0] = os.path.dirname(os.path.dirname(os.path.realpath(compiler)))
    return max(versions.items(), default=(0, None))


def lucene(_, work):
    version, java = newest_java()
    if version < OLDEST_JAVA:
        raise Missing(f"no JDK {OLDEST_JAVA} or newer is installed (Debian's openjdk-17-jdk-headless)")
    needs("mvn", "Debian's maven")
    folder = copy_of("lucene", work)
    shutil.rmtree(os.path.join(folder, "jars"), ignore_errors=True)
    run(["mvn", "-q", "-B", f"-DoutputDirectory={folder}/jars", "dependency:copy-dependencies"], cwd=folder,
        env={**os.environ, "JAVA_HOME": java})
    run([f"{java}/bin/javac", "-d", f"{folder}/classes", "-cp", f"{folder}/jars/*", f"{folder}/LucenePeer.java"])
    program = os.path.join(folder, "lucene_peer")
    with open(program, "w", encoding="utf-8") as script:
        script.write(f"#!/bin/sh\nexec '{java}/bin/java' {JAVA_OPTIONS} -cp '{folder}/classes:{folder}/jars/*' LucenePeer \"$@\"\n")
    os.chmod(program, 0o755)
    return program


def tool(name, package=None):
    def find(tools, _):
        program = os.path.join(tools, name)
        if not os.path.exists(program):
            raise Missing(f"it was not built: Debian's {package} is not installed")
        return program
    return find


# kbase is first: the others are compared with it.
ENGINES = {"kbase": tool("search_peer"), "tantivy": tantivy, "Lucene": lucene, "FTS5": tool("fts5_peer", "libsqlite3-dev"),
           "Xapian": tool("xapian_peer", "libxapian-dev")}
LACKS = {("FTS5", "typo"): "FTS5 knows no mistyped words"}


class Contender:
    """Engine with its index."""

    def __init__(self, name, program, rows, folder):
        self.name, self.program = name, program
        self.version = subprocess.run([program, "version"], capture_output=True, text=True, check=True).stdout.strip()
        self.build = Build(program, rows, folder, LANGUAGE)
        self.engine = None
        self.passes = {each: [] for each in ASKED if (name, each[1]) not in LACKS}
        self.totals = {}

    def open(self):
        self.engine = Engine(self.program, self.build.folder, LANGUAGE)

    def close(self):
        self.memory = {"peak_mib": self.engine.memory_mib("VmHWM"), "anonymous_mib": self.engine.memory_mib("RssAnon")}
        self.engine.__exit__()

    def ask(self, operation, mode, queries):
        """Measures the nanoseconds of each query."""
        answers = self.engine.ask([(operation, mode, words) for words in queries[mode]])
        self.totals[operation, mode] = [total for total, _ in answers]
        return [nanoseconds for _, nanoseconds in answers]

    def warm_up(self, queries):
        """Repeats the queries for a minimum time, then until a pass is no faster than the fastest: JIT compilers
        work late."""
        began, quickest = time.monotonic(), float("inf")
        while True:
            taken = sum(sum(self.ask(*each, queries)) for each in self.passes)
            warmed = time.monotonic() - began
            if warmed > MOST_WARM_UP or (warmed > LEAST_WARM_UP and taken > quickest * NO_QUICKER):
                return
            quickest = min(taken, quickest)

    def figures(self):
        """Returns percentiles in milliseconds over the queries, from the median pass of each; and the spread of
        the passes."""
        classes = {}
        for (operation, mode), passes in self.passes.items():
            medians = [statistics.median(times) / 1e6 for times in zip(*passes)]
            classes[f"{operation} {mode}"] = {
                **summary(medians), "spread": spread_of([sum(times) for times in passes]),
                "total": sum(self.totals[operation, mode])}
        return {"version": self.version, "classes": classes, "memory": self.memory,
                "build": {"seconds": self.build.seconds, "peak_mib": self.build.peak_mib, "disk_mb": self.build.size_mb}}


def programs(tools, work, say):
    """Returns the engines that can be measured here, and the reasons for the others."""
    found, missing = {}, {}
    for name, get in ENGINES.items():
        say(f"getting {name}")
        try:
            found[name] = get(tools, work)
        except Missing as reason:
            missing[name] = str(reason)
            say(f"goes on without {name}: {reason}")
    return found, missing


def measure(found, rows, work, queries, passes, noise, say):
    """Returns the results of every engine by name. Engines alternate, class by class, so that a disturbance
    affects all equally."""
    contenders = []
    for name, program in found.items():
        say(f"{name} indexes")
        contenders.append(Contender(name, program, rows, os.path.join(work, f"index-{name}")))
    for contender in contenders:
        say(f"{contender.name} warms up")
        contender.open()
        contender.warm_up(queries)
    for number in range(passes):
        say(f"pass {number + 1} of {passes}")
        turns = contenders[number % len(contenders):] + contenders[:number % len(contenders)]
        for each in ASKED:
            noise.sample()
            for contender in turns:
                if each in contender.passes:
                    contender.passes[each].append(contender.ask(*each, queries))
    for contender in contenders:
        contender.close()
    return {contender.name: contender.figures() for contender in contenders}
