# SPDX-License-Identifier: Apache-2.0
"""Fake upstream services of a measured server: a code-hosting service, a language model that writes on command,
and a service that never responds. The models run in the measuring program's loop, so that both sides of the
server have one clock."""
import asyncio
import http.server
import json
import re
import threading

CHUNK_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
NO_MODELS = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"


def chunk(data):
    event = f"data: {data}\n\n".encode()
    return b"%x\r\n%s\r\n" % (len(event), event)


def format_piece(text):
    """Encodes a piece as it is sent."""
    return chunk(json.dumps({"id": "bench", "object": "chat.completion.chunk", "created": 0, "model": "bench",
                             "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]}))


class RequestReader(asyncio.Protocol):
    """Connection from the server to a service; reports each request with request line and body."""

    def __init__(self):
        self.transport = None
        self.input = b""

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.input += data
        while b"\r\n\r\n" in self.input:
            head, rest = self.input.split(b"\r\n\r\n", 1)
            length = re.search(rb"(?i)\ncontent-length: *(\d+)", head)
            size = int(length.group(1)) if length else 0
            if len(rest) < size:
                return
            self.input = rest[size:]
            self.on_request(head.split(b"\r\n", 1)[0].decode(), rest[:size])

    def on_request(self, line, body):
        raise NotImplementedError


class Silence(asyncio.Protocol):
    """Accepts connections and data, and never responds."""


class ModelStream(RequestReader):
    """Completion of one prompt, whose text is the stream's number. The measuring program writes it piece by piece."""

    def __init__(self, begun):
        super().__init__()
        self.begun = begun
        self.can_write = True
        self.on_writable = None

    def on_request(self, line, body):
        if not line.startswith("POST "):
            self.transport.write(NO_MODELS)
            return
        self.begun(int(json.loads(body)["messages"][0]["content"]), self)

    def open(self):
        self.transport.write(CHUNK_HEAD)

    def write(self, text):
        self.transport.write(format_piece(text))

    def end(self):
        part = {"model": "bench", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 1, "completion_tokens": 1}}
        self.transport.write(chunk(json.dumps(part)) + chunk("[DONE]") + b"0\r\n\r\n")

    def pause_writing(self):
        self.can_write = False

    def resume_writing(self):
        self.can_write = True
        if self.on_writable:
            self.on_writable()


async def listen(protocol, tls=None):
    """Starts a service on any free port of this machine. Returns it and the port."""
    server = await asyncio.get_running_loop().create_server(protocol, "127.0.0.1", 0, ssl=tls, backlog=1024)
    return server, server.sockets[0].getsockname()[1]


class CodeHost:
    """Fake Gitea in its own thread; returns the same user for every name."""

    def __init__(self, repositories):
        answers = self.answers(repositories)

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                body = next((body for path, body in answers if re.fullmatch(path, self.path.partition("?")[0])), None)
                self.send_response(404 if body is None else 200)
                text = json.dumps(body).encode()
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @staticmethod
    def answers(repositories):
        user = {"id": 1, "login": "edge", "full_name": "Edge", "created": "2020-01-01T00:00:00Z",
                "html_url": "https://git.example.org/edge", "visibility": "public"}
        found = [{"id": number, "name": f"edge{number}", "full_name": f"edge/edge{number}", "private": False,
                  "internal": False, "fork": False, "archived": False, "stars_count": number, "forks_count": 0,
                  "description": "", "language": "C++", "html_url": f"https://git.example.org/edge/edge{number}",
                  "created_at": "2020-01-01T00:00:00Z", "updated_at": "2024-01-01T00:00:00Z"}
                 for number in range(repositories)]
        return [("/api/v1/version", {"version": "1.22.0"}), ("/api/v1/users/edge", user),
                ("/api/v1/users/edge/heatmap", []), ("/api/v1/repos/search", {"ok": True, "data": found}),
                ("/api/v1/repos/.*/languages", {"C++": 1000})]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
