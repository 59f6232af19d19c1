# SPDX-License-Identifier: Apache-2.0
"""Content for fault tests, and requests at a fixed rate."""
import asyncio
import collections
import hashlib
import json
import multiprocessing
import random
import time

REQUEST_TIMEOUT = 60  # seconds
CATEGORIES = 40
CLIENTS = 16

# status: an HTTP status, or a text for an error or a response of another server; began: time.monotonic() when it was
# due
Response = collections.namedtuple("Response", "kind item began seconds status")


def marker_of(name):
    """Returns a word that is not similar to others, so that spelling correction cannot match them."""
    return "w" + hashlib.sha256(str(name).encode()).hexdigest()[:16]


def vocabulary():
    choices = random.Random(1)
    ends = ("", "n", "r", "s", "l")
    syllables = [first + vowel + last for first in "bdfgklmnprstvz" for vowel in "aeiou" for last in ends]
    return ["".join(choices.choice(syllables) for _ in range(choices.randint(2, 4))) for _ in range(4000)]


def write_items(path, name, count, words=50):
    """Writes generated items NAME-0 and following as JSON Lines. All contain marker_of(NAME), and frequent and
    rare words."""
    choices, words_of_language = random.Random(name), vocabulary()
    weights = [1 / (rank + 1) for rank in range(len(words_of_language))]
    with open(path, "w", encoding="ascii") as file:
        for number in range(count):
            text = choices.choices(words_of_language, weights, k=words)
            file.write(json.dumps({"id": f"{name}-{number}", "title": " ".join(text[:5]),
                                   "category": f"category-{number % CATEGORIES}",
                                   "content": f"{marker_of(name)} {' '.join(text)}"}) + "\n")
    return path


class LoadClient:
    """Sends requests when they are due, even if earlier ones are unanswered, over keep-alive connections. With a
    rate of 0, CLIENTS clients send one request after the other."""

    def __init__(self, port, rate, targets, seed):
        self.port, self.rate, self.targets = port, rate, targets
        self.random = random.Random(seed)
        self.idle, self.tasks, self.responses = [], set(), []

    async def run(self, pipe):
        if self.rate:
            await self.send_at_fixed_rate(pipe)
        else:
            await asyncio.gather(*(self.send_sequentially(pipe) for _ in range(CLIENTS)))
        for _, writer in self.idle:
            writer.close()
        return self.responses

    async def send_at_fixed_rate(self, pipe):
        began = time.monotonic()
        for number in range(1 << 60):
            due = began + number / self.rate
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            if pipe.poll():
                break
            task = asyncio.create_task(self.send(due))
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)
        await asyncio.gather(*self.tasks)

    async def send_sequentially(self, pipe):
        while not pipe.poll():
            await self.send(time.monotonic())

    async def send(self, due):
        kind, target, item = self.targets(self.random)
        try:
            status = await asyncio.wait_for(self.exchange(target), REQUEST_TIMEOUT)
        except (OSError, EOFError, asyncio.TimeoutError) as error:
            status = type(error).__name__
        self.responses.append(Response(kind, item, due, time.monotonic() - due, status))

    async def connect(self):
        """Returns an idle connection that is still open; haproxy closes unused ones."""
        while self.idle:
            reader, writer = self.idle.pop()
            if not reader.at_eof():
                return reader, writer
            writer.close()
        return await asyncio.open_connection("127.0.0.1", self.port)

    async def exchange(self, target):
        reader, writer = await self.connect()
        try:
            writer.write(f"GET /api/v1{target} HTTP/1.1\r\nHost: test\r\n\r\n".encode())
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            await reader.readexactly(int(head.partition(b"\r\ncontent-length:")[2].split()[0]))
        except BaseException:
            writer.close()
            raise
        if b"\r\nconnection: close" in head:
            writer.close()
        else:
            self.idle.append((reader, writer))
        status = int(head[9:12])
        return f"{status} by haproxy" if b"\r\ncontent-type: text/html" in head else status


class RequestMix:
    """Request mix: half searches, most of one or two words; items, with a skewed distribution; categories."""

    KINDS = {"search": 50, "item": 40, "categories": 10}

    def __init__(self, name, items, kinds=None):
        self.name, self.items, self.words = name, items, vocabulary()
        self.kinds = kinds or self.KINDS

    def __call__(self, choices):
        kind = choices.choices(list(self.kinds), list(self.kinds.values()))[0]
        if kind == "search":
            positions = [int(len(self.words) * choices.random() ** 2) for _ in range(choices.choice((1, 2, 2, 3)))]
            return kind, f"/search?q={'+'.join(self.words[position] for position in positions)}", None
        if kind == "item":
            item = f"{self.name}-{int(self.items * choices.random() ** 3)}"
            return kind, f"/item/{item}", item
        if kind == "category":
            return kind, f"/category/category-{choices.randrange(CATEGORIES)}", None
        return kind, f"/{kind}", None


class Load:
    """LoadClient in its own process, until it is stopped."""

    def __init__(self, port, rate, targets, seed=1):
        self.ours, theirs = multiprocessing.Pipe()
        client = LoadClient(port, rate, targets, seed)
        self.process = multiprocessing.Process(target=self.work, args=(client, theirs), daemon=True)
        self.process.start()
        theirs.close()

    @staticmethod
    def work(client, pipe):
        pipe.send(asyncio.run(client.run(pipe)))

    def responses(self):
        self.ours.send("stop")
        responses = self.ours.recv()
        self.process.join()
        return responses


def failed(responses):
    return [response for response in responses if response.status != 200]


def count_statuses(responses):
    return dict(collections.Counter(response.status for response in responses))


def percentile_ms(responses, part):
    """Returns the given percentile of the response times in milliseconds."""
    times = sorted(response.seconds for response in responses)
    return times[min(len(times) - 1, int(len(times) * part))] * 1000 if times else float("nan")


def format_times(responses):
    return (f"p50 {percentile_ms(responses, 0.5):.1f} ms, p99 {percentile_ms(responses, 0.99):.0f} ms,"
            f" max {percentile_ms(responses, 1):.0f} ms")
