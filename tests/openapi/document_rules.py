# SPDX-License-Identifier: Apache-2.0
"""Rules for the OpenAPI document that need no server."""
import json
import re

from jsonschema import Draft202012Validator

from description import METHODS, event_faults

# Source: docs/guide/errors.md.
CODES = {
    "400": {"INVALID_PARAMETER", "INVALID_BODY", "BAD_REQUEST"}, "401": {"UNAUTHORIZED"}, "403": {"FORBIDDEN"},
    "404": {"NOT_FOUND"}, "405": {"METHOD_NOT_ALLOWED"}, "408": {"REQUEST_TIMEOUT"}, "409": {"CONFLICT"},
    "412": {"PRECONDITION_FAILED"}, "413": {"PAYLOAD_TOO_LARGE"}, "414": {"URI_TOO_LONG"}, "415": {"UNSUPPORTED_MEDIA_TYPE"}, "417": {"EXPECTATION_FAILED"},
    "429": {"RATE_LIMIT_EXCEEDED"}, "431": {"HEADERS_TOO_LARGE"}, "500": {"INTERNAL_ERROR"},
    "501": {"NOT_IMPLEMENTED"}, "502": {"UPSTREAM_ERROR"}, "503": {"SERVICE_UNAVAILABLE"},
    "504": {"UPSTREAM_TIMEOUT"}, "505": {"HTTP_VERSION_NOT_SUPPORTED"},
}


def faults(text, description):
    """Yields all errors of the document."""
    root = description.root
    if json.dumps(root, indent=2, ensure_ascii=False) + "\n" != text:
        yield "the document is not indented with two spaces"
    if not re.fullmatch(r"3\.1\.\d+", root["openapi"]):
        yield "the document is not OpenAPI 3.1"
    if root["servers"] != [{"url": "/api/v1", "description": "This server"}]:
        yield "servers differs from the entry that the program replaces"
    for section in (_references, _components, _operations, _schemas, _examples):
        yield from section(description)


def nodes(node, location="#"):
    """Yields every object of the document with its location."""
    if isinstance(node, dict):
        yield location, node
        for name, each in node.items():
            yield from nodes(each, f"{location}/{name}")
    elif isinstance(node, list):
        for i, each in enumerate(node):
            yield from nodes(each, f"{location}/{i}")


def _references(description):
    for location, node in nodes(description.root):
        if isinstance(node.get("$ref"), str):
            try:
                description.at(node["$ref"])
            except (KeyError, TypeError):
                yield f"{location} refers to {node['$ref']}, which does not exist"


def _components(description):
    used = {node["$ref"] for _, node in nodes(description.root) if isinstance(node.get("$ref"), str)}
    named = json.dumps(description.root)
    for kind, components in description.root["components"].items():
        for name in components:
            # A schema may be mentioned only by name in a text, as those of error.details are.
            if f"#/components/{kind}/{name}" not in used and kind != "securitySchemes" and f"`{name}`" not in named:
                yield f"the component {kind}/{name} is not used"


def _operations(description):
    root = description.root
    tags = [tag["name"] for tag in root["tags"]]
    ids = [operation.id for operation in description.operations()]
    for path, item in root["paths"].items():
        if not re.fullmatch(r"(/[a-z.]+|/\{[a-z]+\})+", path):
            yield f"{path} is not a valid path"
        for member in item:
            if member not in (*METHODS, "parameters"):
                yield f"{path} has a member {member}"
    for operation in description.operations():
        node, name = operation.node, operation.id
        if ids.count(name) > 1 or not re.fullmatch(r"[a-z]+([A-Z][a-z]*)+", name):
            yield f"the operationId {name} is not unique, or not in camel case"
        if not all(node.get(text, "").strip() for text in ("summary", "description")):
            yield f"{name} lacks a summary or a description"
        if len(node["tags"]) != 1 or node["tags"][0] not in tags:
            yield f"{name} must have exactly one of the tags"
        in_path = [each["name"] for each in operation.parameters if each["in"] == "path"]
        if in_path != re.findall(r"\{(\w+)\}", operation.path):
            yield f"{name} does not describe the parameters of its path"
        if not all(each.get("required") for each in operation.parameters if each["in"] == "path"):
            yield f"{name} has a parameter in its path that is not required"
        names = [(each["in"], each["name"].lower()) for each in operation.parameters]
        if len(names) != len(set(names)):
            yield f"{name} has a parameter twice"
        for requirement in node["security"]:
            for scheme in requirement:
                if scheme not in root["components"]["securitySchemes"]:
                    yield f"{name} names an unknown security scheme {scheme}"
        yield from _responses(description, operation, ids)


def _responses(description, operation, ids):
    for status, response in operation.node["responses"].items():
        response = description.whole(response)
        location = f"{status} of {operation.id}"
        if not re.fullmatch(r"[2-5]\d\d", status):
            yield f"{location} is not a valid status"
        if ("content" in response) != (status not in ("204", "304")):
            yield f"{location} must have a body, except with 204 and 304"
        for header in ("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Request-Id"):
            if not description.whole(response["headers"].get(header, {})).get("required"):
                yield f"{location} lacks {header}"
        for link in response.get("links", {}).values():
            if link["operationId"] not in ids:
                yield f"{location} links to an unknown operation {link['operationId']}"
        if status in CODES and not (operation.id == "getHealth" and status == "503"):
            codes = {example["value"]["error"]["code"]
                    for example in response["content"]["application/json"]["examples"].values()}
            if not codes <= CODES[status]:
                yield f"{location} has an example of another status: {sorted(codes)}"


def _schemas(description):
    for location, node in nodes(description.root):
        is_schema = location.split("/")[-1] == "schema" or re.fullmatch(r"#/components/schemas/\w+", location)
        if is_schema:
            try:
                Draft202012Validator.check_schema(node)
            except Exception as error:  # depends on the version of the library
                yield f"{location} is not a valid schema: {error}"
    for name, schema in description.root["components"]["schemas"].items():
        if not schema.get("description"):
            yield f"the schema {name} has no description"
        for member, each in schema.get("properties", {}).items():
            if "$ref" not in each and not each.get("description"):
                yield f"the member {member} of {name} has no description"


def _examples(description):
    for location, node in nodes(description.root):
        # Headers, parameters and media types have their schema next to the examples.
        if "schema" not in node or location.startswith("#/components/schemas"):
            continue
        values = [example["value"] for example in node.get("examples", {}).values()]
        if "example" in node:
            values.append(node["example"])
        is_stream = location.endswith("/text/event-stream")
        for value in values:
            for fault in (event_faults if is_stream else _value_faults)(description, node["schema"], value):
                yield f"an example of {location} does not match its schema: {fault}"
        default = node["schema"].get("default")
        if default is not None:
            for fault in description.faults(node["schema"], default):
                yield f"the default of {location} does not match its schema: {fault}"


def _value_faults(description, schema, value):
    return description.faults(schema, value)
