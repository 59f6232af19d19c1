# SPDX-License-Identifier: Apache-2.0
"""Proxy between a browser and a kbase. Tests can delay, break or answer requests."""
import http.client
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

TIMEOUT = 60
HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding"}


class Handler(BaseHTTPRequestHandler):
    """HTTP/1.0 towards the browser: one connection per request, so that a disconnected proxy leaves no connection open."""

    def do_GET(self):
        proxy = self.server.proxy
        path = urlsplit(self.path).path
        proxy.requests.append(self.path)
        if proxy.is_disconnected:
            return
        if path.startswith(proxy.held):
            proxy.gate.wait(TIMEOUT)
        if proxy.rejections.get(path, 0) > 0:
            proxy.rejections[path] -= 1
            return self.reject(proxy.retry_after)
        if path in proxy.responses:
            return self.respond(proxy.statuses.get(path, 200), proxy.responses[path])
        self.forward(proxy.target)

    def forward(self, target):
        connection = http.client.HTTPConnection(target, timeout=TIMEOUT)
        try:
            connection.request("GET", self.path, headers={n: v for n, v in self.headers.items() if n.lower() not in HOP_BY_HOP})
            response = connection.getresponse()
            body = response.read()
        finally:
            connection.close()
        self.send_response(response.status)
        for name, value in response.getheaders():
            if name.lower() not in HOP_BY_HOP | {"date", "server"}:
                self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def reject(self, seconds):
        problem = {"error": {"code": "RATE_LIMIT_EXCEEDED", "message": "The limit is used up"}}
        self.respond(429, problem, {"Retry-After": str(seconds)})

    def respond(self, status, document, fields=()):
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


class Proxy:
    """Forwards requests to the server at `url` and its responses, unless a test changes that. `requests` records the
    requests."""

    def __init__(self, url):
        self.target = urlsplit(url).netloc
        self.requests = []
        self.is_disconnected = False
        self.held = ()        # path prefixes
        self.gate = threading.Event()
        self.rejections = {}    # number of rejections, by path
        self.responses = {}     # documents, by path
        self.statuses = {}    # error statuses, by path
        self.retry_after = 0
        self._server = Server(("127.0.0.1", 0), Handler)
        self._server.proxy = self
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def hold(self, path):
        """Makes requests whose paths start with `path` wait for `release`."""
        self.gate.clear()
        self.held = (path,)

    def release(self):
        self.held = ()
        self.gate.set()

    def reject(self, path, times, seconds):
        """Answers the next `times` requests for a path with 429 and Retry-After."""
        self.retry_after = seconds
        self.rejections[path] = times

    def close(self):
        self.release()
        self._server.shutdown()
        self._server.server_close()
