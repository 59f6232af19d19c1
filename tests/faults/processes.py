# SPDX-License-Identifier: Apache-2.0
"""Shared code of fault tests: processes on free ports, in a temporary folder."""
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

RECORD_FILE = "KBASE_FAULT_RECORD"  # names a file that faults.py reads
SKIPPED = 77  # exit code when a required program is missing
TIMEOUT = 20  # seconds

last_report_time = time.monotonic()


def accepts(port):
    with socket.socket() as connection:
        connection.settimeout(1)
        return connection.connect_ex(("127.0.0.1", port)) == 0


def wait_for(what, condition, timeout=TIMEOUT):
    waiting.wait_for(what, condition, timeout)


def find_haproxy():
    """Returns the path of haproxy, which Debian installs in /usr/sbin; None if it is missing."""
    return shutil.which("haproxy") or shutil.which("haproxy", path="/usr/sbin")


def fetch(port, target):
    """Returns status and body of a response, over a new connection."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request("GET", target)
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()


def metric(admin_port, name):
    """Returns the sum of all series of a server's metrics whose names start with `name`."""
    _, text = fetch(admin_port, "/metrics")
    return sum(float(line.split()[1]) for line in text.splitlines() if line.startswith(name))


class Workspace:
    """Temporary folder, the processes started in it, and the failures. Stops all of them at the end."""

    def __init__(self, name):
        self.work = tempfile.mkdtemp(prefix=f"kbase-{name}-")
        self.started = []
        self.failures = []

    def path(self, name):
        return os.path.join(self.work, name)

    def fail(self, what):
        self.failures.append(what)

    def start(self, command, stop_signal=signal.SIGTERM, prefix=("setpriv", "--pdeathsig=KILL", "--"), **options):
        """Starts a process that is killed when this one ends, even if this one is killed. The kernel binds that to
        the calling thread, which must therefore exist as long as the process."""
        with open(self.path("log"), "ab") as log:
            # New session: Ctrl-C only interrupts this process, which stops the others in order.
            process = subprocess.Popen([*prefix, *command], stderr=log, start_new_session=True, **options)
        self.started.append((process, stop_signal))
        return process

    def start_kbase(self, program, *arguments):
        server = self.start([program, "serve", *arguments], stdout=subprocess.PIPE, text=True)
        if not server.stdout.readline().startswith("listening on "):
            sys.exit("the server did not start: " + self.log()[-2000:])
        return server

    def log(self):
        with open(self.path("log"), encoding="utf-8", errors="replace") as file:
            return file.read()

    def end(self):
        """Keeps the folder after a failure."""
        self.end_processes()
        if not self.failures:
            shutil.rmtree(self.work)

    def end_processes(self):
        """Stops the newest process first, one after the other: servers still write to their stores."""
        for process, _ in self.started:
            process.send_signal(signal.SIGCONT)
        for process, stop_signal in reversed(self.started):
            process.send_signal(stop_signal)
            try:
                process.wait(timeout=15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                self.fail("a process did not exit after its stop signal")


def record_result(fault, loss, failures, guarantee=""):
    """Prints the injected fault, the loss, and the time since the previous result. `loss` describes what was lost;
    `guarantee` is added if nothing failed. Also writes the result to the file that faults.py reads, if it started the
    test."""
    global last_report_time  # each process runs one test
    if not failures and guarantee:
        loss = f"{loss}, {guarantee}" if loss else guarantee
    loss = loss or "see the failures"
    print(f"{fault}: lost {loss}; took {time.monotonic() - last_report_time:.0f} s", flush=True)
    last_report_time = time.monotonic()
    if RECORD_FILE in os.environ:
        with open(os.environ[RECORD_FILE], "a", encoding="utf-8") as lines:
            lines.write(json.dumps({"at": time.time(), "fault": fault, "loss": loss, "failures": list(failures)}) + "\n")


def run_to_end(test):
    """Runs a test, stops its processes, and exits with its result."""
    try:
        test.run()
    finally:
        test.end()
    sys.exit(report_failures(test.failures, test.work))


def report_failures(failures, folder=None):
    """Prints the failures and returns the exit code."""
    for failure in failures:
        print("FAILED:", failure)
    if failures and folder:
        print("logs:", folder)
    return 1 if failures else 0
