# SPDX-License-Identifier: Apache-2.0
"""What fault tests have in common: processes on free ports, in a folder that goes with them."""
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import waiting  # noqa: E402
from free_port import free_port  # noqa: E402

RECORD = "KBASE_DRILL_RECORD"  # names a file that faults.py reads
SKIPPED = 77  # the exit code where a part is missing
PATIENCE = 20

last_record = time.monotonic()


def accepts(port):
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def wait_for(what, condition, patience=PATIENCE):
    waiting.wait_for(what, condition, patience)


def haproxy_program():
    """None where there is no haproxy; Debian puts it where only root looks."""
    return shutil.which("haproxy") or shutil.which("haproxy", path="/usr/sbin")


def fetch(port, target):
    """The status and the body of an answer, over a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request("GET", target)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def metric(admin_port, name):
    """The sum of all series of a server's metrics whose names begin so."""
    _, text = fetch(admin_port, "/metrics")
    return sum(float(line.split()[1]) for line in text.splitlines() if line.startswith(name))


class Workplace:
    """A folder, the processes that were started in it, and what failed. Ends all of it."""

    def __init__(self, name):
        self.work = tempfile.mkdtemp(prefix=f"kbase-{name}-")
        self.started = []
        self.failures = []

    def path(self, name):
        return os.path.join(self.work, name)

    def fail(self, what):
        self.failures.append(what)

    def start(self, command, ends_with=signal.SIGTERM, prefix=("setpriv", "--pdeathsig=KILL", "--"), **options):
        """Its process ends with this one, also where this one is killed. For the kernel that is the thread which calls
        here, so it has to be one that lasts."""
        with open(self.path("log"), "ab") as log:
            # A session of its own: Ctrl-C is for this process, which ends the others in their order.
            process = subprocess.Popen([*prefix, *command], stderr=log, start_new_session=True, **options)
        self.started.append((process, ends_with))
        return process

    def start_kbase(self, program, *arguments):
        server = self.start([program, "serve", *arguments], stdout=subprocess.PIPE, text=True)
        if not server.stdout.readline().startswith("listening on "):
            sys.exit("a server did not start: " + self.log()[-2000:])
        return server

    def log(self):
        with open(self.path("log"), encoding="utf-8", errors="replace") as file:
            return file.read()

    def end(self):
        """Keeps the folder of a failure."""
        self.end_processes()
        if not self.failures:
            shutil.rmtree(self.work)

    def end_processes(self):
        """The newest first, one after the other: servers still write to their stores."""
        for process, _ in self.started:
            process.send_signal(signal.SIGCONT)
        for process, ends_with in reversed(self.started):
            process.send_signal(ends_with)
            try:
                process.wait(timeout=15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                self.fail("a process did not end when asked to")


def record(done, lost, failures, promise=""):
    """Says what was done, what was lost of it and how long it took, since the one before. `lost` is what was counted;
    `promise` is said too where nothing failed. Where it is faults.py who asks, it gets to know all of it."""
    global last_record  # one test runs in a process
    if not failures and promise:
        lost = f"{lost}, {promise}" if lost else promise
    lost = lost or "see what failed"
    print(f"{done}: lost {lost}; took {time.monotonic() - last_record:.0f} s", flush=True)
    last_record = time.monotonic()
    if RECORD in os.environ:
        with open(os.environ[RECORD], "a", encoding="utf-8") as lines:
            lines.write(json.dumps({"at": time.time(), "done": done, "lost": lost, "failures": list(failures)}) + "\n")


def run_to_end(test):
    """Runs a test, ends what it started, and exits with how it went."""
    try:
        test.run()
    finally:
        test.end()
    sys.exit(report(test.failures, test.work))


def report(failures, where=None):
    """Says what failed, and gives the exit code."""
    for failure in failures:
        print("FAILED:", failure)
    if failures and where:
        print("what was logged is in", where)
    return 1 if failures else 0
