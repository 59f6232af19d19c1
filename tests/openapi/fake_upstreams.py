# SPDX-License-Identifier: Apache-2.0
"""Fake upstream services: a code-hosting service with Gitea's API and a language model with OpenAI's API.

They know one user, ada, and every model except no-such-model, and respond immediately. Both use one address of
this machine.
"""
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

MODEL = "small-1"
PIECES = ["Because ", "air scatters ", "blue light ", "more than red."]
USAGE = {"prompt_tokens": 6, "completion_tokens": 11, "total_tokens": 17}

USER = {
    "id": 7, "login": "ada", "full_name": "Ada Lovelace", "description": "Notes on an engine", "location": "London",
    "website": "https://ada.example", "avatar_url": "https://git.example/avatars/7",
    "html_url": "https://git.example/ada", "followers_count": 12, "following_count": 3,
    "created": "2024-05-01T09:30:00Z", "visibility": "public",
}
REPOSITORIES = {"ok": True, "data": [
    {
        "name": "engine", "full_name": "ada/engine", "description": "Programs for the analytical engine",
        "html_url": "https://git.example/ada/engine", "language": "C++", "topics": ["numbers", "history"],
        "stars_count": 41, "forks_count": 5, "fork": False, "archived": False, "private": False, "internal": False,
        "created_at": "2025-01-10T08:00:00Z", "updated_at": "2026-11-20T17:45:00Z",
    },
]}
LANGUAGES = {"C++": 7500, "Python": 2500}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def respond(self, status, document):
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        path = urlsplit(self.path).path
        known = {
            "/api/v1/version": {"version": "1.22.0"},
            "/api/v1/users/ada": USER,
            "/api/v1/users/ada/heatmap": [{"timestamp": int(time.time()) - 86400, "contributions": 4}],
            "/api/v1/repos/search": REPOSITORIES,
            "/api/v1/repos/ada/engine/languages": LANGUAGES,
            "/v1/models": {"object": "list", "data": [{"id": MODEL, "object": "model"}]},
        }
        if path in known:
            return self.respond(200, known[path])
        return self.respond(404, {"message": "not found"})

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if request["model"] == "no-such-model":
            return self.respond(404, {"error": {"message": "no such model", "code": "model_not_found"}})
        if not request.get("stream"):
            choice = {"index": 0, "message": {"role": "assistant", "content": "".join(PIECES)}, "finish_reason": "stop"}
            return self.respond(200, {"model": request["model"], "choices": [choice], "usage": USAGE})
        self.send_response(200)
        self.send_header("Content-Type", "text/send_event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for piece in PIECES:
            self.send_event({"model": request["model"], "choices": [{"index": 0, "delta": {"content": piece}}]})
        self.send_event({"model": request["model"], "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        self.send_event({"model": request["model"], "choices": [], "usage": USAGE})
        self.wfile.write(b"data: [DONE]\n\n")

    def send_event(self, document):
        self.wfile.write(b"data: " + json.dumps(document).encode() + b"\n\n")
        self.wfile.flush()

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """Ignores callers that disconnect early."""


class FakeUpstreams:
    """Serves until the end of the `with` block; `url` is its address."""

    def __enter__(self):
        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    def settings(self):
        """Settings of a kbase that uses these services."""
        return [
            "codehost.plugin=gitea", f"codehost.config.base_url={self.url}", "codehost.cold_per_minute=0",
            "codehost.cold_per_minute_keyless=0", "llm.plugin=openai", f"llm.config.base_url={self.url}/v1",
            "llm.config.api_key=not-a-secret", f"llm.config.default_model={MODEL}",
            "llm.max_tokens=10000000",
        ]
