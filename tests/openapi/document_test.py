#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the OpenAPI description itself and, with --url, compares it with a running kbase.

Calls every operation with valid and invalid parameters. Every response must match the description: status,
fields, body. An operation that never answered with 200 fails the test.

The kbase should serve the manual and allow --key a few hundred requests per minute. With --read-key, a key that
only has the scope "read", missing scopes are tested too; with --tight-key, a key of a plan with few requests
per minute, so are exceeded limits; with --write-key, a key with the scope "write", changes of the content; with
--outbox, the folder of its mails, accounts. Exit code 77: jsonschema is missing.
"""
import argparse
import json
import pathlib
import re
import sys
from urllib.parse import quote

try:
    import jsonschema  # noqa: F401
except ImportError:
    print(f"skipped: {sys.executable} has no jsonschema; install python3-jsonschema")
    sys.exit(77)

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import document_rules  # noqa: E402
from changes import AccountChanges, ContentChanges, FeedbackChanges, is_change  # noqa: E402
from description import Description  # noqa: E402
from exchange import Exchange  # noqa: E402

SOURCES = pathlib.Path(__file__).resolve().parents[2] / "adapters/http"
DOCUMENT = SOURCES / "openapi.json"

# Parameters that a valid request of an operation needs.
NEEDED = {"searchItems": {"q": "rate limit"}, "suggestQueries": {"q": "rate li"}, "getItem": {"id": "guide/compression"},
          "listRelatedItems": {"id": "guide/compression"}, "getCategory": {"id": "guide"}, "getCodeHostUser": {"username": "ada"}}
PROMPT = {"prompt": "Why is the sky blue?", "max_tokens": 200}


def may_be_repeated(schema):
    return schema["type"] == "array" and "enum" not in schema["items"]


def good_values(schema):
    if "enum" in schema:
        return schema["enum"]
    if schema["type"] == "boolean":
        return ["true", "false", "TRUE", "False"]
    if schema["type"] == "integer":
        bounds = [schema["minimum"], schema.get("maximum", "9" * 40)]
        return [str(value) for value in bounds] + [str(schema["default"])]
    if may_be_repeated(schema):
        return ["", "guide"]
    if schema["type"] == "array":
        return [schema["items"]["enum"][0], ",".join(reversed(schema["items"]["enum"]))]
    if schema.get("format") == "date":
        return ["2026-11-21", "0000-01-01", "9999-12-31"]
    return []


def bad_values(schema):
    if "enum" in schema:
        return ["", "x", schema["enum"][0].upper(), "%ff"]
    if schema["type"] == "boolean":
        return ["", "yes", "1", "%zz"]
    if schema["type"] == "integer":
        beyond = [schema["maximum"] + 1] if "maximum" in schema else []
        return [str(schema["minimum"] - 1), *map(str, beyond), "", "x", "%2B5", "5.0", "0x5", "5%20", "%ff"]
    if schema["type"] == "array" and not may_be_repeated(schema):
        return ["", "x", ",", schema["items"]["enum"][0].upper(), schema["items"]["enum"][0] + ",", "%ff"]
    if schema.get("format") == "date":
        return ["", "today", "2026-02-30", "2026-1-1", "20261121", "%ff"]
    return ["%ff", "%zz"]


class Session:
    def __init__(self, exchange, key):
        self.exchange, self.key = exchange, {"Authorization": f"Bearer {key}"}
        self.is_connected = {}
        # Every query parameter that any endpoint reads.
        self.names = {name for source in SOURCES.glob("*.?pp") if source.name != "page_routes.cpp"
                      for name in re.findall(r'\bparameters\.(?!path_)\w+\("(\w+)"', source.read_text(encoding="utf-8"))}

    def target(self, operation, **query):
        values = {**NEEDED.get(operation.id, {}), **query}
        target = operation.path
        for name in ("id", "username", "key"):
            target = target.replace("{" + name + "}", values.pop(name, ""))
        pairs = [f"{name}={value if name in query else quote(value)}" for name, value in values.items()]
        return target + ("?" + "&".join(pairs) if pairs else "")

    def send_request(self, operation, expected, headers=None, method=None, body=None, **query):
        if operation.method == "POST" and body is None:
            body = json.dumps(PROMPT)
        fields = {"Content-Type": "application/json"} if body is not None else {}
        fields.update(self.key if headers is None else headers)
        return self.exchange.send_request(operation, self.target(operation, **query), expected, fields, body, method)

    def expected(self, operation):
        """Expected statuses of a valid request: an upstream service may not be configured here."""
        service = {"getCodeHostUser": "codehost", "completePrompt": "llm"}.get(operation.id)
        return {200} if service is None or self.is_connected[service] else {503}

    def read_health(self, operation):
        health = json.loads(self.send_request(operation, {200}).body)
        for service, state in health["services"]["external_apis"].items():
            self.is_connected[service] = state == "available"

    def try_parameters(self, operation):
        for parameter in operation.parameters:
            if parameter["in"] != "query":
                continue
            name, schema = parameter["name"], parameter["schema"]
            # Rows with selected members lack members that their schema requires; the parameter's description states
            # this.
            for value in [] if name == "fields" else good_values(schema):
                self.send_request(operation, {200}, **{name: value})
            for value in bad_values(schema):
                self.send_request(operation, {400}, **{name: value})
            good = quote(str(schema.get("default", "guide")).lower())
            expected = {200} if may_be_repeated(schema) else {400}
            self.send_request(operation, expected, **{name: f"{good}&{name}={good}"})
        # The loop above tested names that are read; the names below are not.
        described = {parameter["name"] for parameter in operation.parameters}
        for name in {"unknown", *self.names} - described - {"map"}:  # "map" is refused as a misspelled "tag"
            self.send_request(operation, self.expected(operation), **{name: f"1&{name}=2"})

    def revalidate(self, operation, tag, method):
        """Expects 304, unless views that were counted meanwhile changed the tag."""
        response = self.send_request(operation, {200, 304}, {**self.key, "If-None-Match": tag}, method=method)
        now = dict(response.headers).get("ETag")
        if response.status == 200 and now != tag:
            self.send_request(operation, {304}, {**self.key, "If-None-Match": now}, method=method)
        elif response.status == 200:
            raise SystemExit(f"{operation.id}: {method} with If-None-Match: {tag} has the status 200 and the same tag")

    def try_fields(self, operation):
        good = self.send_request(operation, self.expected(operation))
        tag = dict(good.headers).get("ETag")
        if tag:
            self.revalidate(operation, tag, "GET")
            self.revalidate(operation, tag, "HEAD")
            self.send_request(operation, {304}, {**self.key, "If-None-Match": "*"})
            self.send_request(operation, {200}, {**self.key, "If-None-Match": '"other"'})
        self.send_request(operation, self.expected(operation), {**self.key, "Accept-Encoding": "identity", "Accept": "image/png",
                                                       "Range": "bytes=0-1", "X-Request-Id": "a.b_c-1"})
        if operation.method == "GET":
            self.send_request(operation, self.expected(operation), method="HEAD")
        self.send_request(operation, {405}, method="PATCH")

    def try_keys(self, operation, read_key):
        requirements = operation.node["security"]
        is_needed = {} not in requirements
        counted = "429" in operation.node["responses"]
        self.send_request(operation, {401} if is_needed else self.expected(operation), {})
        for bad in ("Bearer kb_nothing", "Basic YTpi", "Bearer"):
            self.send_request(operation, {401} if counted else {200}, {"Authorization": bad})
        scopes = next(requirement["key"] for requirement in requirements if requirement)
        if read_key:
            refused = any(scope != "read" for scope in scopes)
            self.send_request(operation, {403} if refused else self.expected(operation), {"Authorization": f"Bearer {read_key}"})

    def try_broken_messages(self, operation):
        line = f"{operation.method} {self.exchange.base}{self.target(operation)} HTTP/1.1\r\n"
        host = "Host: kbase\r\n"
        long = "x" * 70_000
        for message, status in (
            (line + "\r\n", 400), (line + host + "Expect: magic\r\n\r\n", 417),
            (line + host + "Content-Length: 99999999999\r\n\r\n", 413),
            (line + host + "Transfer-Encoding: gzip\r\n\r\n", 501), (line + host + f"X-Long: {long}\r\n\r\n", 431),
            (line.replace("HTTP/1.1", "HTTP/3.0") + host + "\r\n", 505), (f"GET /{long} HTTP/1.1\r\n\r\n", 414),
        ):
            self.exchange.send_bytes(operation, message.encode(), {status})

    def try_quota(self, operation, tight_key):
        headers = {"Authorization": f"Bearer {tight_key}"}
        for _ in range(1000):
            if self.send_request(operation, {200, 429}, headers).status == 429:
                return
        self.exchange.faults.append(f"{operation.id} never reached its quota")

    def try_special_cases(self, operations):
        search, item, category = operations["searchItems"], operations["getItem"], operations["getCategory"]
        for q, status in (("a", 400), ("%20a%20", 400), ("", 400), ("x" * 512, 200), ("x" * 2049, 400), ("!!!", 200),
                          ("-rate", 200), ("ra+li", 200), ("%22rate+limit", 200), ("%E2%82%AC%E2%82%AC", 200)):
            self.send_request(search, {status}, q=q)
        self.exchange.send_request(search, "/search", {400}, self.key)
        self.send_request(search, {200}, category="no-such-category")
        self.send_request(search, {200}, category="")
        self.send_request(search, {200}, tag="no-such-tag", facets="tag", highlight="true")
        self.send_request(search, {200}, updated_from="2026-11-22", updated_to="2026-11-21")
        for q, status in (("a", 200), ("", 200), ("x" * 2049, 200), ("%22ra", 200)):
            self.send_request(operations["suggestQueries"], {status}, q=q)
        self.exchange.send_request(operations["suggestQueries"], "/suggest", {400}, self.key)
        for operation in (item, operations["listRelatedItems"], category):
            for name, status in (("no-such-thing", 404), ("%ff", 400), ("%zz", 400), ("x" * 257, 404), ("a%00b", 404)):
                self.send_request(operation, {status}, id=name)
        self.send_request(category, {200}, include_items="true", limit="1000")
        if self.is_connected["codehost"]:
            for name, status in (("no-such-user", 404), ("a%20b", 404), ("%ff", 400)):
                self.send_request(operations["getCodeHostUser"], {status}, username=name)
        self.try_prompts(operations["completePrompt"])

    def try_prompts(self, operation):
        expected = self.expected(operation)
        for body, status in (("", 400), ("{", 400), ("[]", 400), ("{}", 400), ('{"prompt":""}', 400),
                             ('{"prompt":7}', 400), ('{"prompt":"p","max_tokens":0}', 400),
                             ('{"prompt":"p","max_tokens":1.5}', 400), ('{"prompt":"p","temperature":2.1}', 400),
                             ('{"prompt":"p","stream":"yes"}', 400), ('{"prompt":"p","model":null}', 400)):
            self.send_request(operation, {status}, body=body)
        for more in ({"stream": True}, {"temperature": 0.5, "unknown": None}):
            self.send_request(operation, expected, body=json.dumps({**PROMPT, **more}))
        if self.is_connected["llm"]:
            self.send_request(operation, {400}, body=json.dumps({**PROMPT, "model": "no-such-model"}))
        self.send_request(operation, {415}, {**self.key, "Content-Type": "text/plain"})
        self.send_request(operation, {415}, {**self.key, "Content-Encoding": "gzip"})
        self.send_request(operation, expected, {**self.key, "Content-Type": "application/problem+json"})


def check_server(description, options):
    exchange = Exchange(description, options.url)
    session = Session(exchange, options.key)
    operations = {operation.id: operation for operation in description.operations()}
    session.read_health(operations["getHealth"])
    reading = [operation for operation in operations.values() if not is_change(operation)]
    for operation in reading:
        session.try_parameters(operation)
        session.try_fields(operation)
        session.try_keys(operation, options.read_key)
    for operation in operations.values():
        session.try_broken_messages(operation)
    session.try_special_cases(operations)
    FeedbackChanges(exchange, operations).run()
    if options.outbox:
        AccountChanges(exchange, operations, options.outbox).run()
    if options.write_key:
        ContentChanges(exchange, operations, options.write_key, options.read_key).run()
    if options.tight_key:
        for operation in reading:
            if "429" in operation.node["responses"] and operation.id != "completePrompt":
                session.try_quota(operation, options.tight_key)

    yield from exchange.faults
    for operation in reading:
        if not exchange.seen[operation.id] & session.expected(operation):
            yield f"{operation.id} never returned an expected status"
    served = json.loads(session.send_request(operations["getInterfaceDescription"], {200}).body)
    if served != {**description.root, "servers": [{"url": exchange.base, "description": "This server"}]}:
        yield "the served document differs from the one in the source tree"
    unseen = {status for operation in operations.values() for status in operation.node["responses"]} - {
        str(status) for statuses in exchange.seen.values() for status in statuses}
    print(f"{sum(map(len, exchange.seen.values()))} pairs of operation and status were seen; "
          f"documented statuses that never occurred: {', '.join(sorted(unseen)) or 'none'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", help="the base URL, as kbase serve prints it")
    parser.add_argument("--key", help="a key with all scopes")
    parser.add_argument("--read-key")
    parser.add_argument("--tight-key")
    parser.add_argument("--write-key")
    parser.add_argument("--outbox")
    options = parser.parse_args()
    if options.url and not options.key:
        parser.error("--url needs --key")
    if options.write_key and not options.read_key:
        parser.error("--write-key needs --read-key")

    text = DOCUMENT.read_text(encoding="utf-8")
    description = Description(text)
    faults = list(document_rules.faults(text, description))
    if not faults and options.url:
        faults = list(check_server(description, options))
    for fault in faults:
        print(fault)
    print(f"{len(faults)} errors")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
