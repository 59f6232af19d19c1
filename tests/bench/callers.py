# SPDX-License-Identifier: Apache-2.0
"""Effect of many callers of a hanging upstream service on other requests."""
import asyncio
import collections
import os
import random
import re
import statistics
import threading
import time

from serving import item_paths, load, search_paths, write_paths
from streams import completion_request
from upstreams import ModelStream, Silence, listen

CALLERS = 500
TIMEOUT = 4
RATE = 300
SETTLE_TIME, WARM_UP = 1, 2  # seconds


def get_request(path):
    return f"GET {path} HTTP/1.1\r\nHost: bench\r\n\r\n".encode()


def user_request(number, _):
    return get_request(f"/api/v1/external/codehost/user{number}")


def model_request(number, key):
    return completion_request(number, key)


def stream_request(number, key):
    return completion_request(number, key, stream=True)


class StoppedStream(ModelStream):
    """Model that writes one piece and then nothing."""

    def __init__(self):
        super().__init__(self.stop)

    @staticmethod
    def stop(_, stream):
        stream.open()
        stream.write("once ")


class Callers:
    """Callers, each over its own connection. A caller waits for Retry-After, plus up to the same time at random,
    and then repeats its request. They start one after the other, as fast as the service gets CPU time. Callers
    and service run in their own thread with SCHED_IDLE, i.e. only when nothing else needs their core: with nice
    alone they would finish their time slice of some milliseconds first, which would be part of the measurement."""

    def __init__(self, request, service):
        self.request, self.service = request, service
        self.seconds = collections.defaultdict(list)
        self.failures = []
        self.started, self.is_stopped = threading.Event(), False
        self.ready = threading.Event()
        self.thread = threading.Thread(target=lambda: asyncio.run(self.run()), daemon=True)
        self.thread.start()
        self.ready.wait()

    async def run(self):
        os.sched_setscheduler(threading.get_native_id(), os.SCHED_IDLE, os.sched_param(0))
        server, self.service_port = await listen(self.service)
        self.ready.set()
        await asyncio.to_thread(self.started.wait)
        if not self.is_stopped:
            await asyncio.gather(*(self.run_caller(number) for number in range(CALLERS)))
        server.close()

    def start(self, port, key):
        self.port, self.key = port, key
        self.started.set()

    def stop(self):
        """Waits for the pending responses."""
        self.is_stopped = True
        self.started.set()
        self.thread.join()

    async def run_caller(self, number):
        try:
            await asyncio.sleep(random.uniform(0, TIMEOUT))
            reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
            while not self.is_stopped:
                retry_after = random.uniform(1, 2) * await self.send_request(number, reader, writer)
                until = time.monotonic() + retry_after
                while not self.is_stopped and time.monotonic() < until:
                    await asyncio.sleep(min(0.2, max(0, until - time.monotonic())))
            writer.close()
        except (OSError, asyncio.IncompleteReadError) as failure:
            self.failures.append(repr(failure))

    async def send_request(self, number, reader, writer):
        """Reads the response to its end. Returns the seconds to wait before the next request."""
        began = time.monotonic()
        writer.write(self.request(number, self.key))
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        if "chunked" in head:
            text = await reader.readuntil(b"0\r\n\r\n")
            outcome = "error event" if b"event: error" in text else "whole stream"
        else:
            await reader.readexactly(int(re.search(r"(?i)content-length: (\d+)", head).group(1)))
            outcome = head.split(" ", 2)[1]
        self.seconds[outcome].append(time.monotonic() - began)
        retry_after = re.search(r"(?i)retry-after: (\d+)", head)
        return int(retry_after.group(1)) if retry_after else 0


class HangingServiceTest:
    """Each case starts a new server, so that its callers meet a service that is not yet known to hang. The
    server's concurrency limits are so high that every caller waits."""

    CODE_HOST = ("codehost.plugin=gitea", "codehost.config.base_url={url}", f"codehost.timeout={TIMEOUT}s",
                 "codehost.cold_per_minute=0", "codehost.cold_per_minute_keyless=0", "codehost.max_concurrent=256",
                 "upstream.max_connections=512")
    MODEL = ("llm.plugin=openai", "llm.config.base_url={url}/v1", "llm.config.default_model=bench",
             f"llm.timeout={TIMEOUT}s", f"llm.idle_timeout={TIMEOUT}s", f"llm.max_concurrent={CALLERS}")
    EDGE = ("server.threads=1", "logging.level=error")
    CASES = (
        ("code host", user_request, Silence, CODE_HOST),
        ("model", model_request, Silence, MODEL),
        ("stream", stream_request, Silence, MODEL),
        ("stalled stream", stream_request, StoppedStream, MODEL),
    )

    def __init__(self, bench, store):
        self.bench, self.store, self.key = bench, store, bench.create_key(store)
        self.paths = {"item": write_paths(os.path.join(bench.work, "item-paths"), item_paths(bench.packages)),
                      "search": write_paths(os.path.join(bench.work, "search-paths"), search_paths(bench.packages))}

    def run(self):
        for name, request, service, settings in self.CASES:
            self.run_case(name, [self.run_once(request, service, settings) for _ in range(self.bench.runs)])

    def run_case(self, name, runs):
        for outcome in self.paths:
            alone, loaded = ([run[when][outcome] for run in runs] for when in ("alone", "loaded"))
            ratio = statistics.median(b / a for a, b in zip(alone, loaded))
            self.bench.report(f"{name}, {outcome}", f"p99 {statistics.median(alone):.2f} ms alone, "
                           f"{statistics.median(loaded):.2f} ms with hanging requests   ratio {ratio:.2f} (at most 1.5)")
        seconds = collections.defaultdict(list)
        for run in runs:
            for outcome, times in run["seconds"].items():
                seconds[outcome] += times
        self.bench.report(name, "   ".join(f"{outcome}: {len(times):,}, after {statistics.median(times):.3f} s, max "
                                        f"{max(times):.3f} s" for outcome, times in sorted(seconds.items())))
        kib = [statistics.median(run[when] for run in runs) for when in ("before", "peak", "after")]
        self.bench.report(name, f"{kib[0]:.1f} MiB before, {kib[1]:.1f} MiB peak, {kib[2]:.1f} MiB after")
        for run in runs:
            for failure in collections.Counter(run["failures"]).items():
                self.bench.report(name, f"FAILED: {failure}")

    def run_once(self, request, service, settings):
        callers = Callers(request, service)
        url = f"http://127.0.0.1:{callers.service_port}"
        settings = (*self.EDGE, *self.bench.no_limits, *(text.format(url=url) for text in settings))
        with self.bench.serve(self.store, *settings) as server:
            self.measure_latency(server, WARM_UP)
            run = {"alone": self.measure_latency(server, TIMEOUT), "before": server.memory_mib("VmRSS")}
            callers.start(int(server.port), self.key)
            time.sleep(TIMEOUT)
            run["loaded"] = self.measure_latency(server, TIMEOUT)
            callers.stop()
            run["peak"] = server.memory_mib("VmHWM")
            time.sleep(SETTLE_TIME)
            run["after"] = server.memory_mib("VmRSS")
        run["seconds"], run["failures"] = callers.seconds, callers.failures
        return run

    def measure_latency(self, server, seconds):
        """Measures the p99 of items and searches that arrive at a steady rate at the same time."""
        p99_ms = {}

        def measure(outcome):
            answers = load(self.bench.tool("http_load"), server.port, self.paths[outcome], self.bench.load_core,
                           seconds=seconds, rate=RATE, connections=16)
            assert list(answers) == [200], answers
            p99_ms[outcome] = answers[200]["p99_ms"]

        threads = [threading.Thread(target=measure, args=(outcome,)) for outcome in self.paths]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return p99_ms
