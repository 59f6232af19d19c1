# SPDX-License-Identifier: Apache-2.0
"""Servers that are measured: processes that say where they listen."""
import os
import re
import subprocess
import sys


class Server:
    """A running server, pinned to a core where one is given. Its first line of output ends with its port."""

    def __init__(self, command, core=None):
        if core is not None:
            command = ["taskset", "-c", str(core), *command]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
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
        """What all of its threads have used so far."""
        tasks = f"/proc/{self.process.pid}/task"
        nanoseconds = 0
        for task in os.listdir(tasks):
            with open(f"{tasks}/{task}/schedstat", encoding="ascii") as figures:
                nanoseconds += int(figures.read().split()[0])
        return nanoseconds / 1e9

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


def serve_command(kbase, data_dir, *settings):
    """`kbase serve` on any port, without a limit for the public."""
    wanted = [f"data_dir={data_dir}", "server.port=0", "plans.public.per_minute=0", "plans.public.per_day=0", *settings]
    return [kbase, "serve", *(word for setting in wanted for word in ("--set", setting))]
