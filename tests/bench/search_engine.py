# SPDX-License-Identifier: Apache-2.0
"""Search engine alone (search_peer.cpp): items, requests, index build and timed queries."""
import gzip
import json
import os
import re
import shutil
import statistics
import subprocess
import threading
import time

MODES = {"and": "all words", "or": "any word", "phrase": "phrase", "term": "one word"}
WARM_UP_PASSES = 2
PAGE_SIZE = 20


def on_one_line(text):
    return " ".join((text or "").split())


def items_of(source, limit):
    """Yields the first `limit` items of a JSON Lines file (0: all) that a store accepts."""
    count = 0
    with gzip.open(source, "rt", encoding="utf-8") as lines:
        for line in lines:
            item = json.loads(line)
            if item.get("type", "item") != "item" or len(item["id"].encode()) > 256:
                continue
            yield item
            count += 1
            if count == limit:
                return


def write_rows(source, path, limit):
    """Writes one item per line, in the engine's format."""
    with open(path, "w", encoding="utf-8", errors="replace") as rows:
        for item in items_of(source, limit):
            tags = " ; ".join(item.get("tags", []))
            rows.write("\t".join(map(on_one_line, (item["title"], tags, item.get("content")))) + "\n")


def write_items(source, path, limit):
    """Writes the same items for an import."""
    with gzip.open(path, "wt", encoding="utf-8", compresslevel=1) as lines:
        for item in items_of(source, limit):
            lines.write(json.dumps(item, ensure_ascii=False) + "\n")


def write_copies(rows, path, count):
    """Writes the first `count` rows, repeating them if there are fewer: the engine numbers the rows itself."""
    written = 0
    with open(path, "wb") as copies:
        while written < count:
            with open(rows, "rb") as lines:
                for line in lines:
                    if written == count:
                        break
                    copies.write(line)
                    written += 1


def web_queries(path):
    """Returns the words of each query by mode. The single words are 300 words of the any-word queries."""
    modes = {"and": [], "or": [], "phrase": []}
    tagged = {"intersection": "and", "union": "or", "phrase": "phrase"}
    with open(path, encoding="utf-8") as lines:
        for query in map(json.loads, lines):
            mode = tagged.get(query["tags"][0])
            if mode:
                modes[mode].append(" ".join(re.findall(r"\w+", query["query"])))
    words = list(dict.fromkeys(word for text in modes["or"] for word in text.split()))
    modes["term"] = words[::max(1, len(words) // 300)][:300]
    return modes


def percentile(values, fraction):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(fraction * len(ordered)))]


def summarize_us(nanoseconds):
    """Returns mean, median and 99th percentile in microseconds."""
    return statistics.fmean(nanoseconds) / 1e3, percentile(nanoseconds, 0.50) / 1e3, percentile(nanoseconds, 0.99) / 1e3


def memory_mib(process, field):
    with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
        return next((int(line.split()[1]) for line in status if line.startswith(field)), 0) / 1024


def wait_for_peak_memory(process):
    """Returns the peak resident memory of a process. wait4() is not used: its value is at least the parent's
    memory, because a child process begins as a copy of its parent."""
    peak = 0
    while process.poll() is None:
        peak = memory_mib(process, "VmHWM") or peak
        time.sleep(0.005)
    return peak


class Build:
    """Built index."""

    def __init__(self, peer, rows, folder, language, threads=1):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        start = time.monotonic()
        environment = {**os.environ, "KBASE_PEER_LANGUAGE": language, "KBASE_PEER_THREADS": str(threads)}
        process = subprocess.Popen([peer, "index", rows, folder], stdout=subprocess.PIPE, text=True, env=environment)
        self.peak_mib = wait_for_peak_memory(process)
        output = process.stdout.read()
        if process.returncode != 0:
            raise SystemExit(f"{peer} could not index {rows}")
        self.folder, self.language = folder, language
        self.seconds = time.monotonic() - start
        self.text_mb = int(output.split()[1]) / 1e6 if output else None
        files = list(os.scandir(folder))
        self.size_mb = sum(file.stat().st_size for file in files) / 1e6
        self.segments = sum(file.name.startswith("segment-") for file in files)

    def opening_ms(self, peer, times):
        """Returns the median opening time over several processes."""
        environment = {**os.environ, "KBASE_PEER_LANGUAGE": self.language}
        return statistics.median(
            int(subprocess.run([peer, "open", self.folder], check=True, capture_output=True, env=environment).stdout)
            for _ in range(times)) / 1e6


class Engine:
    """Process that searches an index. A request is an operation, a mode and words."""

    def __init__(self, peer, folder, language):
        self.process = subprocess.Popen([peer, "query", folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, encoding="utf-8",
                                        env={**os.environ, "KBASE_PEER_LANGUAGE": language})

    def run_requests(self, requests):
        """Returns total and nanoseconds of each request."""
        return [(int(answer[0]), int(answer[1])) for answer in self.send_requests(requests)]

    def top_items(self, requests):
        """Returns the numbers of the found items of each request."""
        return [answer[2].strip().split(",") for answer in self.send_requests(requests)]

    def send_requests(self, requests):
        lines = "".join(f"{operation}\t{mode}\t{PAGE_SIZE}\t{words}\n" for operation, mode, words in requests)
        feeder = threading.Thread(target=self.feed, args=(lines,), daemon=True)
        feeder.start()
        replies = [self.process.stdout.readline().split("\t") for _ in requests]
        feeder.join()
        if any(len(answer) != 3 for answer in replies):
            raise SystemExit(f"{self.process.args[0]} exited")
        return replies

    def feed(self, lines):
        self.process.stdin.write(lines)
        self.process.stdin.flush()

    def fastest(self, requests, passes):
        """Returns the total, and the minimum nanoseconds over several passes, of each request."""
        for _ in range(WARM_UP_PASSES):
            self.run_requests(requests)
        rounds = [self.run_requests(requests) for _ in range(passes)]
        return [(each[0][0], min(time for _, time in each)) for each in zip(*rounds)]

    def times(self, classes, queries, passes):
        """Returns, by class (an operation and a mode), the minimum nanoseconds of each query."""
        requests = [(operation, mode, words) for operation, mode in classes for words in queries[mode]]
        found = {each: [] for each in classes}
        for (operation, mode, _), (_, nanoseconds) in zip(requests, self.fastest(requests, passes)):
            found[operation, mode].append(nanoseconds)
        return found

    def memory_mib(self, field):
        return memory_mib(self.process, field)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()
