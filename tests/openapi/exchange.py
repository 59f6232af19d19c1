# SPDX-License-Identifier: Apache-2.0
"""Sends requests to a kbase, byte for byte, and checks each response against the description."""
import collections
import http.client
import json
import socket
from urllib.parse import urlsplit

from description import event_faults

Response = collections.namedtuple("Response", "status headers body")

# Fields of HTTP itself, which the description does not list.
HTTP_FIELDS = {"date", "content-length", "content-type", "connection", "transfer-encoding"}
# A 304 may repeat these fields of the 200.
NOT_MODIFIED_FIELDS = {"x-search-match", "x-search-synonyms", "x-search-corrected", "x-search-did-you-mean", "x-search-id"}


class Exchange:
    def __init__(self, description, url):
        parts = urlsplit(url)
        self.description, self.host, self.port, self.base = description, parts.hostname, parts.port or 80, parts.path
        self.faults = []
        self.seen = collections.defaultdict(set)  # operationId: statuses

    def send_request(self, operation, target, expected, headers=None, body=None, method=None):
        """Sends a request below the base path. `expected` has the allowed statuses."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=30)
        try:
            fields = {"Accept-Encoding": "identity", **(headers or {})}
            connection.request(method or operation.method, self.base + target, body=body, headers=fields)
            http_response = connection.getresponse()
            response = Response(http_response.status, list(http_response.getheaders()), http_response.read())
        finally:
            connection.close()
        self._check(operation, f"{method or operation.method} {target}", response, expected, method == "HEAD")
        return response

    def send_bytes(self, operation, message, expected):
        """Sends the bytes of an invalid request over a new connection. The response ends with the connection."""
        with socket.create_connection((self.host, self.port), timeout=30) as connection:
            connection.sendall(message)
            http_response = http.client.HTTPResponse(connection)
            http_response.begin()
            response = Response(http_response.status, list(http_response.getheaders()), http_response.read())
        self._check(operation, repr(message[:60]), response, expected, False)

    def _check(self, operation, request, response, expected, is_head):
        self.seen[operation.id].add(response.status)
        for fault in self._find_faults(operation, response, expected, is_head):
            self.faults.append(f"{operation.id}: {request[:200]}: {response.status}: {fault}")

    def _find_faults(self, operation, response, expected, is_head):
        if response.status not in expected:
            yield f"expected one of {sorted(expected)}: {response.body[:300]!r}"
        specified = operation.node["responses"].get(str(response.status))
        if specified is None:
            yield "this status is not documented"
            return
        specified = self.description.whole(specified)
        fields = collections.defaultdict(list)
        for name, value in response.headers:
            fields[name.lower()].append(value)
        headers = {name.lower(): header for name, header in specified.get("headers", {}).items()}
        for name, header in headers.items():
            values = fields.get(name, [])
            if len(values) > 1:
                yield f"{name} occurs {len(values)} times"
            elif values:
                for fault in self.description.header_faults(header, values[0]):
                    yield f"{name}: {fault}"
            elif self.description.whole(header).get("required"):
                yield f"{name} is missing"
        tolerated = HTTP_FIELDS | (NOT_MODIFIED_FIELDS if response.status == 304 else set())
        for name in fields.keys() - headers.keys() - tolerated:
            yield f"the field {name} is not documented"
        if not is_head:
            yield from self._find_body_faults(specified.get("content"), fields, response.body)

    def _find_body_faults(self, content, fields, body):
        if content is None:
            if body:
                yield "unexpected body"
            return
        kind = fields.get("content-type", [""])[0]
        media = content.get(kind.split(";")[0])
        if media is None:
            yield f"the media type {kind!r} is not documented"
        elif kind == "text/event-stream":
            yield from event_faults(self.description, media["schema"], body.decode())
        elif kind != "application/json; charset=utf-8":
            yield f"the media type is {kind!r}"
        else:
            yield from self.description.faults(media["schema"], json.loads(body))
