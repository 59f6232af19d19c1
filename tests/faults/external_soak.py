#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Server whose upstream services fail in many ways for minutes: tests response times and resource leaks.

Usage: external_soak.py --kbase PROGRAM [--minutes 10] [--clients 24] [--seed N] [--slack SECONDS]
A code-hosting service and a language model behind TLS respond correctly most of the time. Otherwise they
freeze, stall, break off, announce a wrong length, send garbage, a body that is not JSON, 1 GiB, a gzip bomb, a
flood of header fields, a redirect to another host, 429, 500 or 503, present an untrusted certificate, or refuse
connections. Callers request users, completions and streams, and some disconnect in the middle. Then
- every response had a documented status, and its first byte within the service's timeout (plus --slack, for a
  busy machine);
- once there are no more requests, the server has as many file descriptors and threads as after the first
  minute, and at most 2 MiB more resident memory: a leak per failure would exceed this.
Prints a table, and a line for each failure.
"""
import argparse
import collections
import gzip
import http.client
import json
import os
import random
import shutil
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time

from processes import free_port, record_result, report_failures

TIMEOUT, IDLE_TIMEOUT, STREAM_TIMEOUT = 2, 1, 6  # seconds, as configured below
WARM_UP = 60.0  # seconds, or a third of a shorter run
IDLE_TIMEOUT_SECONDS = 60.0
MAX_MEMORY_GROWTH = 2 << 20
MIB = 1 << 20
FAULTY = 0.3  # fraction of responses; with more, the circuit breaker would let few requests through
# glibc returns free memory and keeps no per-thread arenas, so that growth means a leak.
MALLOC_SETTINGS = {"MALLOC_ARENA_MAX": "1", "MALLOC_TRIM_THRESHOLD_": "65536", "MALLOC_MMAP_THRESHOLD_": "65536"}
FAULTS = ("frozen", "slow first byte", "stall", "truncation", "short length", "no JSON", "1 GiB", "gzip bomb", "garbage",
          "header flood", "redirect", "reset", "429", "500", "503", "bad certificate", "refused")
DOCUMENTED = {"user": {200, 404, 502, 503, 504}, "completion": {200, 502, 503, 504}, "stream": {200, 502, 503, 504}}
CODES = {"UPSTREAM_ERROR", "UPSTREAM_TIMEOUT", "SERVICE_UNAVAILABLE"}
KINDS = tuple(DOCUMENTED)


def json_of(**members):
    return json.dumps(members, separators=(",", ":")).encode()


def stream_chunk(text, reason=None):
    return b"data: " + json_of(model="small", choices=[{"delta": {"content": text}, "finish_reason": reason}]) + b"\n\n"


class Upstream:
    """Both services on one port. Each connection has a thread, and each request draws its fault."""

    def __init__(self, folder, seed):
        self.folder = folder
        self.random = random.Random(seed)
        self.good, self.bad = self.create_certificate("good"), self.create_certificate("bad")
        self.bomb = gzip.compress(bytes(64 * MIB))
        self.flood = b"HTTP/1.1 200 OK\r\n" + b"X-Field: value\r\n" * (MIB // 16) + b"\r\n"
        self.faulty, self.draining, self.stopping = True, False, False
        self.fault_counts = collections.Counter()
        self.connections = set()
        self.lock = threading.Lock()
        self.port = free_port()
        self.listener = self.listen(self.port)
        self.acceptor = threading.Thread(target=self.accept_all, daemon=True)
        self.acceptor.start()

    def create_certificate(self, name):
        paths = [os.path.join(self.folder, f"{name}.{kind}") for kind in ("pem", "key")]
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                        "-addext", "subjectAltName=DNS:localhost", "-out", paths[0], "-keyout", paths[1]],
                       check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*paths)
        return context

    @staticmethod
    def listen(port):
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        listener.listen(256)
        return listener

    def chance(self, probability):
        with self.lock:
            return self.random.random() < probability

    def draw_fault(self):
        """Returns the fault of the next response; None for a correct response."""
        with self.lock:
            if not self.faulty or self.random.random() >= FAULTY:
                return None
            fault = self.random.choice(FAULTS[:-2])
            self.fault_counts[fault] += 1
            return fault

    def accept_all(self):
        while not self.stopping:
            if self.faulty and self.chance(0.004):
                self.refuse()
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def refuse(self):
        self.fault_counts["refused"] += 1
        self.listener.close()
        time.sleep(0.3)
        self.listener = self.listen(self.port)

    def serve(self, connection):
        is_bad = self.faulty and self.chance(0.02)
        with self.lock:
            self.fault_counts["bad certificate"] += is_bad
        try:
            connection.settimeout(60)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection = (self.bad if is_bad else self.good).wrap_socket(connection, server_side=True)
            with self.lock:
                self.connections.add(connection)
            reader = connection.makefile("rb")
            while self.respond(connection, *self.read_request(reader)):
                pass
        except (OSError, ValueError):
            pass  # the client disconnected
        finally:
            with self.lock:
                self.connections.discard(connection)
            connection.close()

    @staticmethod
    def read_request(reader):
        """Returns the target and the body."""
        line = reader.readline().split()
        if len(line) != 3:
            raise ValueError("no request")
        fields = http.client.parse_headers(reader)
        return line[1].decode(), reader.read(int(fields.get("Content-Length", 0)))

    def response_body(self, target, body):
        """Returns content type, text, and the number of bytes before the fault."""
        if target.startswith("/v1/chat"):
            if json.loads(body)["stream"]:
                pieces = [stream_chunk("Hello, "), stream_chunk("world"), stream_chunk(".", "stop"), b"data: [DONE]\n\n"]
                return "text/event-stream", b"".join(pieces), len(pieces[0])
            text = json_of(model="small", choices=[{"message": {"content": "Hello."}, "finish_reason": "stop"}],
                           usage={"prompt_tokens": 3, "completion_tokens": 2})
        elif target.endswith("/heatmap"):
            text = b"[]"
        elif "/repos/search" in target:
            text = json_of(data=[])
        else:
            text = json_of(id=7, login=target.rsplit("/", 1)[1], visibility="public")
        return "application/json", text, len(text) // 2

    def respond(self, connection, target, body):
        """Returns whether the connection stays open."""
        fault = self.draw_fault()
        kind, text, good = self.response_body(target, body)
        if "missing" in target and fault is None:
            connection.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}")
            return not self.draining

        def head(length, more=""):
            return f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{more}\r\n".encode()

        if fault in (None, "slow first byte"):
            if fault:
                time.sleep(TIMEOUT * 0.25)
            connection.sendall(head(len(text), "Connection: close\r\n" if self.draining else "") + text[:good])
            connection.sendall(text[good:])
            return not self.draining
        if fault == "frozen":
            connection.recv(1)
        elif fault == "stall":
            connection.sendall(head(len(text)) + text[:good])
            connection.recv(1)
        elif fault == "truncation":
            connection.sendall(head(len(text)) + text[:good])
        elif fault == "short length":
            connection.sendall(head(good + 1) + text)
        elif fault == "no JSON":
            connection.sendall(head(good + 13) + text[:good] + b"data: Hello\n\n")
        elif fault == "1 GiB":
            connection.sendall(head(1 << 30) + text[:good])
            for _ in range(1024):
                connection.sendall(b"x" * MIB)
        elif fault == "gzip bomb":
            connection.sendall(head(len(self.bomb), "Content-Encoding: gzip\r\n") + self.bomb)
        elif fault == "garbage":
            connection.sendall(b"SSH-2.0-OpenSSH_9.2\r\n")
        elif fault == "header flood":
            connection.sendall(self.flood)
        elif fault == "redirect":
            connection.sendall(b"HTTP/1.1 302 Found\r\nLocation: https://other.invalid/\r\nContent-Length: 0\r\n\r\n")
        elif fault == "reset":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        else:
            # A 429 without Retry-After pauses the service for a minute, in which no other fault would occur.
            wait = "Retry-After: 1\r\n" if fault == "429" else ""
            connection.sendall(f"HTTP/1.1 {fault} No\r\n{wait}Content-Length: 0\r\n\r\n".encode())
            return not self.draining
        return False

    def drain(self):
        """Sends correct responses from now on, and closes each connection after its response."""
        self.faulty, self.draining = False, True
        with self.lock:
            for connection in self.connections:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def inject_faults(self):
        self.faulty, self.draining = True, False


class Counters:
    """Counts what clients observed. Thread-safe."""

    def __init__(self):
        self.lock = threading.Lock()
        self.responses = collections.Counter()
        self.slowest = collections.Counter()
        self.disconnects = 0
        self.failures = collections.Counter()

    def add_response(self, kind, outcome, first_byte):
        with self.lock:
            self.responses[kind, outcome] += 1
            self.slowest[kind] = max(self.slowest[kind], first_byte)

    def add_disconnect(self):
        with self.lock:
            self.disconnects += 1

    def add_failure(self, why):
        with self.lock:
            self.failures[why] += 1


def request_for(kind, key, choices):
    fields = f"Host: test\r\nAuthorization: Bearer {key}\r\nConnection: close\r\n"
    if kind == "user":
        name = f"ada{choices.randrange(50)}" + ("missing" if choices.random() < 0.1 else "")
        return f"GET /api/v1/external/codehost/{name} HTTP/1.1\r\n{fields}\r\n".encode()
    body = json.dumps({"prompt": "Say hello.", "max_tokens": 20, "stream": kind == "stream"})
    return f"POST /api/v1/external/llm HTTP/1.1\r\n{fields}Content-Length: {len(body)}\r\n\r\n{body}".encode()


class Client:
    """Sends one request after the other until it is stopped."""

    def __init__(self, test, seed):
        self.test = test
        self.random = random.Random(seed)
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.test.stopping_clients.is_set():
            kind = self.random.choice(KINDS)
            try:
                self.send_request(kind)
            except (OSError, http.client.HTTPException) as error:
                self.test.counters.add_failure(f"{kind}: no response ({type(error).__name__})")

    def send_request(self, kind):
        slack = self.test.options.slack
        began = time.monotonic()
        with socket.create_connection(("127.0.0.1", self.test.port), timeout=TIMEOUT + STREAM_TIMEOUT + slack) as connection:
            connection.sendall(request_for(kind, self.test.key, self.random))
            if self.random.random() < 0.1:
                connection.settimeout(self.random.uniform(0.001, TIMEOUT))
                try:
                    connection.recv(64)
                except TimeoutError:
                    pass
                self.test.counters.add_disconnect()
                return
            response = http.client.HTTPResponse(connection)
            response.begin()
            first_byte = time.monotonic() - began
            text = response.read()
            total_time = time.monotonic() - began
        outcome = response.status
        if outcome not in DOCUMENTED[kind]:
            self.test.counters.add_failure(f"{kind}: status {outcome}")
        if kind == "stream" and outcome == 200:
            outcome = self.classify_stream_end(text)
        elif outcome != 200 and outcome != 404 and json.loads(text)["error"]["code"] not in CODES:
            self.test.counters.add_failure(f"{kind}: {text[:200]}")
        if outcome == 503:
            if not response.getheader("Retry-After"):
                self.test.counters.add_failure(f"{kind}: 503 without Retry-After")
            time.sleep(0.1)  # so that an open circuit breaker does not dominate the table
        if first_byte > TIMEOUT + slack or total_time > TIMEOUT + STREAM_TIMEOUT + slack:
            self.test.counters.add_failure(f"{kind}: {outcome} after the timeout")
        self.test.counters.add_response(kind, outcome, first_byte)

    def classify_stream_end(self, text):
        """Returns in one word how a stream ended."""
        event, _, data = text.rstrip().rpartition(b"event: ")[2].partition(b"\ndata: ")
        if event == b"done":
            return "done"
        if event != b"error" or json.loads(data)["error"]["code"] not in CODES:
            self.test.counters.add_failure(f"stream: ended with {text[-200:]}")
        return "error event"


class Soak:
    def __init__(self, options):
        self.options = options
        self.work = tempfile.mkdtemp(prefix="kbase-soak-")
        self.counters = Counters()
        self.stopping_clients = threading.Event()
        self.upstream = Upstream(self.work, options.seed)
        self.server = self.port = self.key = None

    def command(self, *arguments):
        return [self.options.kbase, *arguments, "--config", os.path.join(self.work, "kbase.yaml")]

    def start_server(self):
        unlimited = {"per_minute": 0, "per_day": 0, "llm_tokens_per_day": 0}
        url = f"https://localhost:{self.upstream.port}"
        settings = {
            "data_dir": os.path.join(self.work, "data"), "server": {"port": 0}, "logging": {"level": "error"},
            "plans": {"public": unlimited, "developer": unlimited},
            "upstream": {"ca_file": os.path.join(self.work, "good.pem")},
            "codehost": {"plugin": "gitea", "config": {"base_url": url}, "timeout": f"{TIMEOUT}s", "cold_per_minute": 0,
                         "keep_for": "0s", "fresh_for": "0s", "unknown_for": "0s", "max_concurrent": 8},
            "llm": {"plugin": "openai", "config": {"base_url": f"{url}/v1", "default_model": "small"}, "timeout": f"{TIMEOUT}s",
                    "idle_timeout": f"{IDLE_TIMEOUT}s", "stream_timeout": f"{STREAM_TIMEOUT}s", "max_concurrent": 16},
        }
        with open(os.path.join(self.work, "kbase.yaml"), "w", encoding="utf-8") as file:
            json.dump(settings, file)  # JSON is also YAML
        created = subprocess.run(self.command("keys", "create", "--name", "soak", "--plan", "developer", "--json"),
                              capture_output=True, text=True, check=True)
        self.key = json.loads(created.stdout)["key"]
        with open(os.path.join(self.work, "log"), "wb") as log:
            self.server = subprocess.Popen(self.command("serve"), stdout=subprocess.PIPE, stderr=log, text=True,
                                           env={**os.environ, **MALLOC_SETTINGS})
        line = self.server.stdout.readline()
        if not line.startswith("listening on "):
            sys.exit("external_soak: the server did not start")
        self.port = int(line.split(":")[2].split("/")[0])

    def run_clients(self, seconds):
        self.stopping_clients.clear()
        self.upstream.inject_faults()
        clients = [Client(self, self.options.seed + number) for number in range(self.options.clients)]
        time.sleep(seconds)
        self.stopping_clients.set()
        for client in clients:
            client.thread.join()

    # ---- resources of the server

    def measure_resources(self):
        """Returns the number of file descriptors and threads, and the bytes of anonymous memory."""
        folder = f"/proc/{self.server.pid}"
        with open(f"{folder}/status", encoding="ascii") as file:
            status = dict(line.split(":", 1) for line in file)
        return len(os.listdir(f"{folder}/fd")), int(status["Threads"]), int(status["RssAnon"].split()[0]) << 10

    def send_one_of_each(self):
        """Sends one request of each kind, after which the server has cleaned up its upstream connections."""
        for kind in KINDS:
            with socket.create_connection(("127.0.0.1", self.port), timeout=30) as connection:
                connection.sendall(request_for(kind, self.key, random))
                while connection.recv(65536):
                    pass

    def measure_idle_resources(self, expected=None):
        """Returns the resources at rest: two equal measurements, or `expected`."""
        self.upstream.drain()
        until = time.monotonic() + IDLE_TIMEOUT_SECONDS
        before = None
        while True:
            self.send_one_of_each()
            time.sleep(2)
            now = self.measure_resources()
            if (expected is None and before and now[:2] == before[:2]) or (expected and now[:2] == expected[:2]):
                return now
            if time.monotonic() > until:
                return now
            before = now

    def run(self):
        self.start_server()
        seconds = self.options.minutes * 60
        warm_up = min(WARM_UP, seconds / 3)
        self.run_clients(warm_up)
        before = self.measure_idle_resources()
        self.run_clients(seconds - warm_up)
        after = self.measure_idle_resources(before)
        self.server.terminate()
        if self.server.wait() != 0:
            self.counters.add_failure(f"the server ended with {self.server.returncode}")
        self.report_results(before, after)
        shutil.rmtree(self.work, ignore_errors=True)
        return report_failures(self.failures)

    def report_results(self, before, after):
        for kind in KINDS:
            outcomes = {str(outcome): count for (requested_kind, outcome), count in self.counters.responses.items() if requested_kind == kind}
            print(f"{kind:11}" + "".join(f"{outcome}: {outcomes[outcome]:<7}" for outcome in sorted(outcomes)) +
                  f"slowest first byte {self.counters.slowest[kind]:.2f} s")
        print(f"client disconnects {self.counters.disconnects}")
        print("faults     " + ", ".join(f"{fault} {self.upstream.fault_counts[fault]}" for fault in FAULTS))
        for number, name in enumerate(("descriptors", "threads")):
            print(f"{name:12}{before[number]} before, {after[number]} after")
            if before[number] != after[number]:
                self.counters.add_failure(f"{name}: {before[number]} before, {after[number]} after")
        growth = after[2] - before[2]
        print(f"{'memory':12}{before[2] / MIB:.1f} MiB before, {after[2] / MIB:.1f} MiB after")
        if growth > MAX_MEMORY_GROWTH:
            self.counters.add_failure(f"memory grew by {growth / MIB:.1f} MiB")
        for fault in FAULTS:
            if self.options.minutes >= 2 and self.upstream.fault_counts[fault] == 0:
                self.counters.add_failure(f"fault {fault} never occurred")
        responses = sum(self.counters.responses.values())
        self.failures = [f"{failure} ({times} times)" for failure, times in self.counters.failures.items()]
        record_result(f"{sum(self.upstream.fault_counts.values())} faults of upstream services (frozen, stalled, truncated, garbage)",
                      "", self.failures,
                      f"no response of {responses}; first byte after at most {max(self.counters.slowest.values()):.1f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kbase", required=True)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--clients", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--slack", type=float, default=1.0, help="seconds that a busy machine may add")
    sys.exit(Soak(parser.parse_args()).run())


if __name__ == "__main__":
    main()
