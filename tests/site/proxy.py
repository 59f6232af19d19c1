# SPDX-License-Identifier: Apache-2.0
"""Proxy between a browser and a kbase. It records the requests. Tests can hold them back, break the connection, and
change the address of the client."""
import http.client
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

TIMEOUT = 60
HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding"}


class Handler(BaseHTTPRequestHandler):
    """HTTP/1.0 towards the browser: one connection per request, so that a disconnected proxy leaves no connection open."""

    def forward(self):
        proxy = self.server.proxy
        proxy.requests.append(self.path)
        if proxy.is_disconnected:
            return
        if self.path.startswith(proxy.held):
            proxy.gate.wait(TIMEOUT)
        fields = {n: v for n, v in self.headers.items() if n.lower() not in HOP_BY_HOP}
        if proxy.client:
            fields["X-Forwarded-For"] = proxy.client
        sent = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        connection = http.client.HTTPConnection(proxy.target, timeout=TIMEOUT)
        try:
            connection.request(self.command, self.path, body=sent or None, headers=fields)
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

    do_GET = do_POST = do_PUT = do_DELETE = forward

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """Ignores browsers that disconnect early."""


class Proxy:
    """Forwards requests to the server at `url`."""

    def __init__(self, url):
        self.target = urlsplit(url).netloc
        self.requests = []
        self.is_disconnected = False
        self.client = ""  # address that requests seem to come from; the server must trust this proxy
        self.held = ()    # beginnings of paths
        self.gate = threading.Event()
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

    def close(self):
        self.release()
        self._server.shutdown()
        self._server.server_close()
