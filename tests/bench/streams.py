# SPDX-License-Identifier: Apache-2.0
"""Both ends of a streamed completion: the service that writes it and the client that reads it."""
import asyncio
import json
import random
import re
import time

from upstreams import format_piece

PIECE = re.compile(rb'"text":"(\d+) ')
TEXT = "a few words"
TIMEOUT = 20
LARGE_WRITE = format_piece(TEXT) * 300
STALL_TIME = 1.0  # seconds in which nothing could be written


def completion_request(number, key, **options):
    """Returns a completion request whose prompt is its number, so that the service can identify it."""
    body = json.dumps({"prompt": str(number), **options})
    return (f"POST /api/v1/external/llm HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {key}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}").encode()


def percentile(values, fraction):
    return sorted(values)[min(len(values) - 1, int(fraction * len(values)))]


class Client(asyncio.Protocol):
    """Requests one stream and reports the number of each piece as it arrives."""

    def __init__(self, request, on_piece, reads):
        self.request, self.on_piece, self.reads = request, on_piece, reads
        self.ended = asyncio.get_running_loop().create_future()
        self.input = b""

    def connection_made(self, transport):
        self.transport = transport
        if not self.reads:
            transport.pause_reading()
        transport.write(self.request)

    def data_received(self, data):
        now = time.perf_counter()
        *events, self.input = (self.input + data).split(b"\n\n")
        for event in events:
            found = PIECE.search(event)
            if found:
                self.on_piece(int(found.group(1)), now)
            elif b"event: error" in event or event.startswith((b"HTTP/1.1 4", b"HTTP/1.1 5")):
                self.end(RuntimeError(event.decode()))
            elif b"event: done" in event:
                self.end(None)

    def connection_lost(self, error):
        self.end(error or ConnectionError("the server closed the connection"))

    def end(self, error):
        if self.ended.done():
            return
        if error:
            self.ended.set_exception(error)
            self.ended.exception()  # marks it as retrieved, even if nothing awaits it
        else:
            self.ended.set_result(None)


class Lane:
    """Sequence of streams, and the delays of their pieces."""

    def __init__(self, number, server, waiting):
        self.number, self.waiting = number, waiting
        self.port, key = server
        self.request = completion_request(number, key, stream=True, max_tokens=1000)
        self.firsts, self.followers = [], []
        self.sent, self.written = {}, 0

    async def open(self, reads=True):
        """Opens a stream and waits until the service has its request."""
        loop = asyncio.get_running_loop()
        self.waiting[self.number] = accepted = loop.create_future()
        self.sent, self.written = {}, 0
        _, self.client = await loop.create_connection(lambda: Client(self.request, self.on_piece, reads), "127.0.0.1",
                                                      self.port)
        self.stream = await asyncio.wait_for(accepted, TIMEOUT)

    def on_piece(self, number, now):
        (self.followers if number else self.firsts).append(now - self.sent.pop(number))

    async def write_pieces(self, pieces, gap):
        """Writes `pieces` pieces, on average `gap` seconds apart."""
        for number in range(pieces):
            await asyncio.sleep(random.uniform(0.5, 1.5) * gap)
            self.sent[self.written] = time.perf_counter()
            if self.written == 0:
                self.stream.open()
            self.stream.write(f"{self.written} {TEXT}")
            self.written += 1

    async def run(self, streams, pieces, gap):
        for _ in range(streams):
            await self.open()
            await self.write_pieces(pieces, gap)
            self.stream.end()
            await asyncio.wait_for(self.client.ended, TIMEOUT)
            assert not self.sent, "pieces were lost"
            self.close()

    def close(self):
        self.client.transport.close()


class Unread(Lane):
    """Stream whose client reads nothing and whose service writes until the buffers are full."""

    async def flood(self):
        await self.open(reads=False)
        self.stream.open()
        writable = asyncio.Event()
        self.stream.on_writable = writable.set
        while True:
            while self.stream.can_write:
                self.stream.transport.write(LARGE_WRITE)
            writable.clear()
            try:
                await asyncio.wait_for(writable.wait(), STALL_TIME)
            except asyncio.TimeoutError:
                return
