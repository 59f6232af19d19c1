# SPDX-License-Identifier: Apache-2.0
"""Proxy between a browser and a kbase. Tests can delay, break or answer requests in it."""
import http.client
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

PATIENCE = 60
OF_ONE_LINE = {"connection", "keep-alive", "transfer-encoding"}


class Handler(BaseHTTPRequestHandler):
    """HTTP/1.0 towards the browser: one connection per request, so that a broken line leaves none open."""

    def do_GET(self):
        line = self.server.line
        path = urlsplit(self.path).path
        line.asked.append(self.path)
        if line.is_cut:
            return
        if path.startswith(line.held):
            line.gate.wait(PATIENCE)
        if line.refusals.get(path, 0) > 0:
            line.refusals[path] -= 1
            return self.refuse(line.retry_after)
        if path in line.answers:
            return self.answer(line.statuses.get(path, 200), line.answers[path])
        self.pass_on(line.target)

    def pass_on(self, target):
        connection = http.client.HTTPConnection(target, timeout=PATIENCE)
        try:
            connection.request("GET", self.path, headers={n: v for n, v in self.headers.items() if n.lower() not in OF_ONE_LINE})
            answer = connection.getresponse()
            body = answer.read()
        finally:
            connection.close()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in OF_ONE_LINE | {"date", "server"}:
                self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def refuse(self, seconds):
        problem = {"error": {"code": "RATE_LIMIT_EXCEEDED", "message": "The limit is used up"}}
        self.answer(429, problem, {"Retry-After": str(seconds)})

    def answer(self, status, document, fields=()):
        body = json.dumps(document).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(body)), **dict(fields)}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """Ignores browsers that disconnect early."""


class Line:
    """Forwards requests to the server at `url` and its responses, unless a test changes that. `asked` records the
    requests."""

    def __init__(self, url):
        self.target = urlsplit(url).netloc
        self.asked = []
        self.is_cut = False
        self.held = ()        # path prefixes
        self.gate = threading.Event()
        self.refusals = {}    # number of refusals, by path
        self.answers = {}     # documents, by path
        self.statuses = {}    # error statuses, by path
        self.retry_after = 0
        self._server = Server(("127.0.0.1", 0), Handler)
        self._server.line = self
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def hold(self, path):
        """Makes requests whose paths start with `path` wait for `release`."""
        self.gate.clear()
        self.held = (path,)

    def release(self):
        self.held = ()
        self.gate.set()

    def refuse(self, path, times, seconds):
        """Answers the next `times` requests for a path with 429 and Retry-After."""
        self.retry_after = seconds
        self.refusals[path] = times

    def close(self):
        self.release()
        self._server.shutdown()
        self._server.server_close()
