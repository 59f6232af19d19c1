# SPDX-License-Identifier: Apache-2.0
"""Servers under measurement, i.e. processes that print their port, and the load on them."""
import contextlib
import gzip
import itertools
import json
import os
import re
import subprocess
import sys
import urllib.parse


class Server:
    """Running server, pinned to a core if `core` is given. Its first line of output ends with its port. Its log
    goes to this program's standard error or into a file."""

    def __init__(self, command, core=None, log=None):
        if core is not None:
            command = ["taskset", "-c", str(core), *command]
        with open(log, "a", encoding="utf-8") if log else contextlib.nullcontext() as errors:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
        port = re.search(r"(?:^|:)(\d+)(?:/|$)", self.process.stdout.readline().strip())
        if not port:
            sys.exit(f"{' '.join(command)} did not start")
        self.port = port.group(1)

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def memory_mib(self, figure="VmRSS"):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return next(int(line.split()[1]) for line in status if line.startswith(figure)) / 1024

    def cpu_seconds(self):
        """Returns the CPU seconds of all its threads so far."""
        tasks = f"/proc/{self.process.pid}/task"
        nanoseconds = 0
        for task in os.listdir(tasks):
            with open(f"{tasks}/{task}/schedstat", encoding="ascii") as status:
                nanoseconds += int(status.read().split()[0])
        return nanoseconds / 1e9

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


def serve_command(kbase, data_dir, *settings):
    """Returns the command for `kbase serve` on any free port, without limits of the public plan."""
    arguments = [f"data_dir={data_dir}", "server.port=0", "plans.public.per_minute=0", "plans.public.per_day=0", *settings]
    return [kbase, "serve", *(word for setting in arguments for word in ("--set", setting))]


def write_paths(file, paths):
    with open(file, "w", encoding="utf-8") as lines:
        lines.write("\n".join(paths) + "\n")
    return file


def items_of(packages):
    """Yields the items of a JSON Lines file."""
    with gzip.open(packages, "rt", encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            if record.get("type", "item") == "item":
                yield record


def search_paths(packages, count=2000):
    """Returns searches for single words of titles."""
    words = set()
    for item in items_of(packages):
        words.update(word for word in item["title"].lower().split() if word.isascii() and word.isalpha())
        if len(words) > count:
            break
    return [f"/api/v1/search?q={word}" for word in sorted(words) if len(word) > 3]


def item_paths(packages, count=2000):
    return [f"/api/v1/item/{urllib.parse.quote(item['id'], safe='')}"
            for item in itertools.islice(items_of(packages), count)]


def load_command(http_load, port, paths, core=None, **options):
    """Returns the http_load command for a file of paths, pinned to a core if `core` is given."""
    pinned = [] if core is None else ["taskset", "-c", str(core)]
    return [*pinned, http_load, port, paths, *(f"{name}={value}" for name, value in options.items())]


def parse_results(output):
    """Returns http_load's results by status."""
    return {int(status): times for status, times in json.loads(output)["responses"].items()}


def load(*command, **options):
    """Runs load_command() and returns its results by status."""
    run = subprocess.run(load_command(*command, **options), check=True, capture_output=True, text=True)
    return parse_results(run.stdout)
