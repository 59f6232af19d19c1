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

from load import Load, RequestMix, failed, marker_of, count_statuses, write_items
from processes import SKIPPED, Workspace, fetch, free_port, record_result, run_to_end, wait_for

NAMESPACE = ["unshare", "-rm", "--"]
IN_NAMESPACE = "KBASE_FAULT_IN_NAMESPACE"
DISK = "64m"
BASE, BATCH = 500, 20_000  # items; the filled disk has no space for the batch
STEADY_TIME = 2.0  # seconds before and after the fault
FOUND_WITHIN = 30


def enter_mount_namespace():
    if IN_NAMESPACE in os.environ:
        return
    if subprocess.run([*NAMESPACE, "true"], capture_output=True, check=False).returncode != 0:
        print("SKIPPED: this user cannot create a mount namespace")
        sys.exit(SKIPPED)
    os.environ[IN_NAMESPACE] = "1"
    os.execvp(NAMESPACE[0], [*NAMESPACE, sys.executable, *sys.argv])


class FullDisk(Workspace):
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

    def count_views(self):
        lines = map(json.loads, self.run_command("export").stdout.splitlines())
        return collections.Counter({line["item"]: sum(line["days"].values()) for line in lines if line.get("type") == "activity"})

    def run(self):
        base, batch = (write_items(self.path(f"{name}.jsonl"), name, count) for name, count in (("base", BASE), ("batch", BATCH)))
        self.run_command("import", base)
        server = self.start_kbase(self.options.kbase, *self.arguments())
        wait_for("the index", lambda: self.total("base") == BASE)
        load = Load(self.port, self.options.rate, RequestMix("base", BASE))
        time.sleep(STEADY_TIME)
        self.fill()
        self.import_on_full_disk(batch)
        time.sleep(self.options.away)
        os.remove(self.path("disk/filling"))
        self.import_after_cleanup(batch)
        time.sleep(STEADY_TIME)
        responses = load.responses()
        server.terminate()
        if server.wait() != 0:
            self.fail(f"the server ended with {server.returncode}")
        self.check_responses(responses)

    def import_on_full_disk(self, batch):
        result = self.run_command("import", batch)
        print(f"import on the full disk: {result.stderr.strip().splitlines()[-1:]}")
        if result.returncode == 0:
            self.fail("the import of a batch succeeded on a full disk")
        if "no space left" not in result.stderr or "free disk space" not in result.stderr:
            self.fail(f"the import's message names no remedy: {result.stderr.strip()}")
        if self.total("batch") != 0:
            self.fail("a search finds items whose import failed")

    def import_after_cleanup(self, batch):
        result = self.run_command("import", batch)
        if result.returncode != 0:
            self.fail(f"the import still fails after space was freed: {result.stderr.strip()}")
            return
        began = time.monotonic()
        wait_for("the index of the batch", lambda: self.total("batch") == BATCH, FOUND_WITHIN)
        print(f"after space was freed, the batch was found {time.monotonic() - began:.1f} s after its import")

    def check_responses(self, responses):
        viewed = collections.Counter(response.item for response in responses if response.kind == "item" and response.status == 200)
        sent = collections.Counter(response.item for response in responses if response.kind == "item")
        counted = self.count_views()
        lost, twice = sum((viewed - counted).values()), sum((counted - sent).values())
        print(f"{len(responses)} requests, failed {len(failed(responses))} {count_statuses(failed(responses))}; {sum(viewed.values())} views,"
              f" lost {lost}, counted twice {twice}")
        if failed(responses):
            self.fail(f"requests failed: {count_statuses(failed(responses))}")
        if lost or twice:
            self.fail(f"{lost} views were lost, {twice} counted twice")
        record_result(f"disk full during {len(responses)} requests and an import",
                      f"{len(failed(responses))} requests, {lost} of {sum(viewed.values())} views", self.failures, "no content")

    def end(self):
        """Stops the server first, then unmounts its disk, which requires that no file on it is open, then removes
        the folder."""
        self.end_processes()
        subprocess.run(["umount", self.path("disk")], capture_output=True, check=False)
        super().end()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kbase", required=True)
    parser.add_argument("--away", type=float, default=4, help="seconds with a full disk, in addition to the import's time")
    parser.add_argument("--rate", type=int, default=100, help="requests a second")
    options = parser.parse_args()
    enter_mount_namespace()
    run_to_end(FullDisk(options))


if __name__ == "__main__":
    main()
