#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The disk of a server becomes full while it serves: tests that requests continue and nothing is lost.

Usage: full_disk.py --kbase PROGRAM [--away 4] [--rate 100]
All data of the server is on a disk of 64 MiB, a tmpfs in a private mount namespace. While items are viewed and
searched at a fixed rate, the rest of the disk is filled for --away seconds, and a batch is imported. The import
must fail with a remedy and change nothing. No request may fail. When there is space again, the same import must
succeed, and every answered view must be counted. Exit code 77: this user cannot create a mount namespace.
"""
import argparse
import collections
import errno
import json
import os
import subprocess
import sys
import time

from load import Load, Mixed, failed, marker_of, statuses, write_items
from processes import SKIPPED, Workplace, fetch, free_port, record, run_to_end, wait_for

NAMESPACE = ["unshare", "-rm", "--"]
INSIDE = "KBASE_DRILL_INSIDE"
DISK = "64m"
BASE, BATCH = 500, 20_000  # items; the filled disk has no space for the batch
WELL = 2.0  # seconds before and after the fault
FOUND_WITHIN = 30


def enter_a_namespace():
    if INSIDE in os.environ:
        return
    if subprocess.run([*NAMESPACE, "true"], capture_output=True, check=False).returncode != 0:
        print("SKIPPED: this user may not make a mount namespace")
        sys.exit(SKIPPED)
    os.environ[INSIDE] = "1"
    os.execvp(NAMESPACE[0], [*NAMESPACE, sys.executable, *sys.argv])


class FullDisk(Workplace):
    def __init__(self, options):
        super().__init__("full-disk")
        self.options = options
        self.port = free_port()
        os.mkdir(self.path("disk"))
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "none", self.path("disk")], check=True)

    def arguments(self):
        # Waiting for a CPU must not look like a full disk.
        settings = (f"data_dir={self.path('disk')}", f"server.port={self.port}", "server.max_queue_time=2s",
                    "plans.public.per_minute=0", "plans.public.per_day=0", "logging.level=warning")
        return [word for setting in settings for word in ("--set", setting)]

    def run_command(self, *arguments):
        return subprocess.run([self.options.kbase, *arguments, *self.arguments()], capture_output=True, text=True, check=False)

    def fill(self):
        """Fills the disk to the last byte."""
        with open(self.path("disk/filling"), "wb", buffering=0) as file:
            for size in (1 << 20, 4096, 1):
                try:
                    while True:
                        file.write(bytes(size))
                except OSError as error:
                    if error.errno != errno.ENOSPC:
                        raise

    def total(self, name):
        status, body = fetch(self.port, f"/api/v1/search?match=all&limit=1&q={marker_of(name)}")
        return json.loads(body)["pagination"]["total"] if status == 200 else None

    def counted(self):
        lines = map(json.loads, self.run_command("export").stdout.splitlines())
        return collections.Counter({line["item"]: sum(line["days"].values()) for line in lines if line.get("type") == "activity"})

    def run(self):
        base, batch = (write_items(self.path(f"{name}.jsonl"), name, count) for name, count in (("base", BASE), ("batch", BATCH)))
        self.run_command("import", base)
        server = self.start_kbase(self.options.kbase, *self.arguments())
        wait_for("the index", lambda: self.total("base") == BASE)
        load = Load(self.port, self.options.rate, Mixed("base", BASE))
        time.sleep(WELL)
        self.fill()
        self.import_in_vain(batch)
        time.sleep(self.options.away)
        os.remove(self.path("disk/filling"))
        self.import_again(batch)
        time.sleep(WELL)
        answers = load.answers()
        server.terminate()
        if server.wait() != 0:
            self.fail(f"the server ended with {server.returncode}")
        self.judge(answers)

    def import_in_vain(self, batch):
        done = self.run_command("import", batch)
        print(f"on the full disk an import says: {done.stderr.strip().splitlines()[-1:]}")
        if done.returncode == 0:
            self.fail("a batch was imported for which there was no room")
        if "no space left" not in done.stderr or "free some" not in done.stderr:
            self.fail(f"the import does not say what to do: {done.stderr.strip()}")
        if self.total("batch") != 0:
            self.fail("a search finds what was not imported")

    def import_again(self, batch):
        done = self.run_command("import", batch)
        if done.returncode != 0:
            self.fail(f"with room again an import fails: {done.stderr.strip()}")
            return
        began = time.monotonic()
        wait_for("the batch, to be found,", lambda: self.total("batch") == BATCH, FOUND_WITHIN)
        print(f"with room again the batch was found {time.monotonic() - began:.1f} s after its import")

    def judge(self, answers):
        shown = collections.Counter(answer.item for answer in answers if answer.kind == "item" and answer.status == 200)
        sent = collections.Counter(answer.item for answer in answers if answer.kind == "item")
        counted = self.counted()
        lost, twice = sum((shown - counted).values()), sum((counted - sent).values())
        print(f"{len(answers)} requests, failed {len(failed(answers))} {statuses(failed(answers))}; {sum(shown.values())} views,"
              f" lost {lost}, counted twice {twice}")
        if failed(answers):
            self.fail(f"requests failed: {statuses(failed(answers))}")
        if lost or twice:
            self.fail(f"{lost} views were lost, {twice} counted twice")
        record(f"the disk was full while {len(answers)} requests came and a batch was imported",
               f"{len(failed(answers))} requests, {lost} of {sum(shown.values())} views", self.failures, "no content")

    def end(self):
        """Stops the server first, then unmounts its disk, which requires that no file on it is open, then removes
        the folder."""
        self.end_processes()
        subprocess.run(["umount", self.path("disk")], capture_output=True, check=False)
        super().end()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kbase", required=True)
    parser.add_argument("--away", type=float, default=4, help="seconds without room, beside what the import takes")
    parser.add_argument("--rate", type=int, default=100, help="requests a second")
    options = parser.parse_args()
    enter_a_namespace()
    run_to_end(FullDisk(options))


if __name__ == "__main__":
    main()
