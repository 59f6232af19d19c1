# SPDX-License-Identifier: Apache-2.0
"""The line between a browser and a kbase, which tests hold up, cut, or answer on in the server's place."""
import http.client
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

PATIENCE = 60
OF_ONE_LINE = {"connection", "keep-alive", "transfer-encoding"}


class Handler(BaseHTTPRequestHandler):
    """HTTP/1.0 towards the browser: a connection for each request, so that a cut line has none left."""

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
        """A browser that leaves early is none of our business."""


class Line:
    """Passes everything on to the server at `url` and back, but for what it is told. `asked` is what came."""

    def __init__(self, url):
        self.target = urlsplit(url).netloc
        self.asked = []
        self.is_cut = False
        self.held = ()        # beginnings of paths
        self.gate = threading.Event()
        self.refusals = {}    # how often, by path
        self.answers = {}     # documents, by path
        self.statuses = {}    # of those that are no success
        self.retry_after = 0
        self._server = Server(("127.0.0.1", 0), Handler)
        self._server.line = self
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def hold(self, path):
        """Requests whose paths begin so wait for `release`."""
        self.gate.clear()
        self.held = (path,)

    def release(self):
        self.held = ()
        self.gate.set()

    def refuse(self, path, times, seconds):
        """Answers the next requests of a path with 429 and how long to wait."""
        self.retry_after = seconds
        self.refusals[path] = times

    def close(self):
        self.release()
        self._server.shutdown()
        self._server.server_close()
