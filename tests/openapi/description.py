# SPDX-License-Identifier: Apache-2.0
"""OpenAPI description for tests: resolves references and validates with its schemas."""
import copy
import json
import re

from jsonschema import Draft202012Validator, FormatChecker

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")

FORMATS = FormatChecker(formats=())


@FORMATS.checks("date")
def is_date(text):
    return not isinstance(text, str) or re.fullmatch(r"\d{4}-\d\d-\d\d", text) is not None


@FORMATS.checks("date-time")
def is_instant(text):
    return not isinstance(text, str) or re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", text) is not None


def without_repeated_names(pairs):
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"the member {name!r} occurs twice")
    return dict(pairs)


class Operation:
    def __init__(self, path, method, item, node):
        self.path, self.method, self.node = path, method.upper(), node
        self.id = node["operationId"]
        self.parameters = item.get("parameters", []) + node.get("parameters", [])


class Description:
    def __init__(self, text):
        self.root = json.loads(text, object_pairs_hook=without_repeated_names)
        self._strict = copy.deepcopy(self.root.get("components", {}))
        close(self._strict)

    def at(self, reference):
        """Returns the node of a reference "#/a/b"."""
        node = self.root
        for part in reference.removeprefix("#/").split("/"):
            node = node[part.replace("~1", "/").replace("~0", "~")]
        return node

    def whole(self, node):
        """Resolves a node that is a reference. Not for schemas, which may have members next to a reference."""
        return self.at(node["$ref"]) if "$ref" in node else node

    def operations(self):
        for path, item in self.root["paths"].items():
            for method in METHODS:
                if method in item:
                    operation = Operation(path, method, item, item[method])
                    operation.parameters = [self.whole(each) for each in operation.parameters]
                    yield operation

    def faults(self, schema, value):
        """Returns the errors of a value. Members that the schema does not know are errors unless it allows them:
        clients may ignore them, but here they mean that the description is out of date."""
        schema = copy.deepcopy(schema)
        close(schema)
        validator = Draft202012Validator({**schema, "components": self._strict}, format_checker=FORMATS)
        for error in validator.iter_errors(value):
            location = "/".join(str(part) for part in error.absolute_path)
            yield f"at {location or 'the root'}: {error.message[:300]}"

    def header_faults(self, header, text):
        schema = self.whole(header)["schema"]
        value = text
        if schema.get("type") == "integer":
            if not re.fullmatch(r"\d+", text):
                return [f"{text!r} is not an integer"]
            value = int(text)
        return list(self.faults(schema, value))


def events_of(text):
    """Yields the events of a stream as objects of their fields, without comments."""
    for block in text.split("\n\n"):
        lines = [line for line in block.split("\n") if line and not line.startswith(":")]
        if lines:
            yield dict(line.split(": ", 1) for line in lines)


def event_faults(description, schema, text):
    """Returns the errors of a stream whose events the schema describes."""
    names = []
    for event in events_of(text):
        names.append(event.get("event"))
        yield from description.faults(schema, event)
        for kind in description.whole(schema)["oneOf"]:
            if kind["properties"]["event"]["const"] == event.get("event"):
                yield from description.faults(kind["properties"]["data"]["contentSchema"], json.loads(event["data"]))
    if not names or names[-1] not in ("done", "error") or any(name != "delta" for name in names[:-1]):
        yield f"unexpected sequence of events: {names}"


def close(node):
    """Forbids unknown members in all nested schemas that do not define them."""
    if isinstance(node, list):
        for each in node:
            close(each)
    elif isinstance(node, dict):
        if node.get("type") == "object" and isinstance(node.get("properties"), dict):
            node.setdefault("additionalProperties", False)
        for name, each in node.items():
            if name not in ("example", "examples", "default", "const", "enum"):
                close(each)
