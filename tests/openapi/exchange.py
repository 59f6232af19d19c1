# SPDX-License-Identifier: Apache-2.0
"""Sends requests to a kbase, byte for byte, and checks each response against the description."""
import collections
import http.client
import json
import socket
from urllib.parse import urlsplit

from description import event_faults

Answer = collections.namedtuple("Answer", "status headers body")

# Fields of HTTP itself, which the description does not list.
OF_HTTP = {"date", "content-length", "content-type", "connection", "transfer-encoding"}
# A 304 may repeat these fields of the 200.
OF_NOT_MODIFIED = {"x-search-match", "x-search-corrected", "x-search-did-you-mean"}


class Exchange:
    def __init__(self, description, url):
        parts = urlsplit(url)
        self.description, self.host, self.port, self.base = description, parts.hostname, parts.port or 80, parts.path
        self.faults = []
        self.seen = collections.defaultdict(set)  # operationId: statuses

    def ask(self, operation, target, expected, headers=None, body=None, method=None):
        """Sends a request below the base path. `expected` has the allowed statuses."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=30)
        try:
            fields = {"Accept-Encoding": "identity", **(headers or {})}
            connection.request(method or operation.method, self.base + target, body=body, headers=fields)
            response = connection.getresponse()
            answer = Answer(response.status, list(response.getheaders()), response.read())
        finally:
            connection.close()
        self._judge(operation, f"{method or operation.method} {target}", answer, expected, method == "HEAD")
        return answer

    def send(self, operation, message, expected):
        """Sends the bytes of an invalid request over a new connection. The response ends with the connection."""
        with socket.create_connection((self.host, self.port), timeout=30) as line:
            line.sendall(message)
            response = http.client.HTTPResponse(line)
            response.begin()
            answer = Answer(response.status, list(response.getheaders()), response.read())
        self._judge(operation, repr(message[:60]), answer, expected, False)

    def _judge(self, operation, request, answer, expected, is_head):
        self.seen[operation.id].add(answer.status)
        for fault in self._faults(operation, answer, expected, is_head):
            self.faults.append(f"{operation.id}: {request[:200]}: {answer.status}: {fault}")

    def _faults(self, operation, answer, expected, is_head):
        if answer.status not in expected:
            yield f"not one of {sorted(expected)}: {answer.body[:300]!r}"
        response = operation.node["responses"].get(str(answer.status))
        if response is None:
            yield "the description does not have this status"
            return
        response = self.description.whole(response)
        fields = collections.defaultdict(list)
        for name, value in answer.headers:
            fields[name.lower()].append(value)
        documented = {name.lower(): header for name, header in response.get("headers", {}).items()}
        for name, header in documented.items():
            values = fields.get(name, [])
            if len(values) > 1:
                yield f"{name} is there {len(values)} times"
            elif values:
                for fault in self.description.header_faults(header, values[0]):
                    yield f"{name}: {fault}"
            elif self.description.whole(header).get("required"):
                yield f"{name} is missing"
        tolerated = OF_HTTP | (OF_NOT_MODIFIED if answer.status == 304 else set())
        for name in fields.keys() - documented.keys() - tolerated:
            yield f"the description does not have the field {name}"
        if not is_head:
            yield from self._body_faults(response.get("content"), fields, answer.body)

    def _body_faults(self, content, fields, body):
        if content is None:
            if body:
                yield "there is a body"
            return
        kind = fields.get("content-type", [""])[0]
        media = content.get(kind.split(";")[0])
        if media is None:
            yield f"the description does not have the type {kind!r}"
        elif kind == "text/event-stream":
            yield from event_faults(self.description, media["schema"], body.decode())
        elif kind != "application/json; charset=utf-8":
            yield f"the type is {kind!r}"
        else:
            yield from self.description.faults(media["schema"], json.loads(body))
