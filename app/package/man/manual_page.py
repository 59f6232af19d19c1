# SPDX-License-Identifier: Apache-2.0
"""Writes a manual page: a template, in which @COMMANDS@, @OPTIONS@ and @KEYS@ stand for what the program says itself,
and @NAME@ for the path that is given as NAME.

usage: manual_page.py TEMPLATE PROGRAM OUTPUT [NAME=PATH...]
"""

import json
import pathlib
import subprocess
import sys

# Where descriptions begin in help texts; behind a longer term, on the next line.
COLUMN = 30


def said(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def roff(text):
    """Text as groff shows it: nothing of it is a command, a hyphen stays one."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq")
    return "\\&" + text if text.startswith((".", "'")) else text


def parts_of(help_text):
    """The sections of a help text, as lists of pairs (term, description); the first is everything before them."""
    parts, entries = {"": []}, []
    for line in help_text.splitlines():
        if line and not line.startswith(" ") and line.endswith(":"):
            entries = parts.setdefault(line[:-1], [])
        elif line.startswith("  ") and not line.startswith("   "):
            fits = line[COLUMN - 1 : COLUMN] == " "
            entries.append((line[:COLUMN].strip(), line[COLUMN:].strip()) if fits else (line.strip(), ""))
        elif line.startswith("   ") and entries:
            term, description = entries.pop()
            entries.append((term, (description + " " + line.strip()).strip()))
        elif line.strip():
            parts[""].append(line)
    return parts


def described(term, description):
    return f".TP\n.B {roff(term)}\n{roff(description)}\n"


def options(help_text):
    parts = parts_of(help_text)
    entries = parts.get("Positionals", []) + parts.get("Options", [])
    return "".join(described(term, text) for term, text in entries if not term.startswith("-h,"))


def usage(help_text):
    line = next(line for line in parts_of(help_text)[""] if line.startswith("Usage: "))
    return line.removeprefix("Usage: ")


def commands(program, path=()):
    help_text = said(program, *path, "--help")
    below = parts_of(help_text).get("Subcommands", [])
    if not below:
        return f".SS {roff(usage(help_text))}\n{roff(parts_of(help_text)[''][0])}\n" + options(help_text)
    return "".join(commands(program, (*path, name)) for name, _ in below)


def value_of(schema):
    kind = schema.get("format", schema.get("type", "any"))
    words = ", ".join(str(word) for word in schema["enum"]) if "enum" in schema else kind
    if "default" not in schema:
        return f"({words})"
    default = schema["default"]
    return f"({words}; default {default if isinstance(default, str) and default else json.dumps(default)})"


def keys(schema, path=""):
    """Every key of the configuration, with sections by their dots, as --set names them."""
    page = ""
    for name, member in schema.get("properties", {}).items():
        key = f"{path}.{name}" if path else name
        inner = member.get("items", {}) if member.get("type") == "array" else member
        if not path:
            is_section = "properties" in inner
            page += f".SS {roff(key if is_section else f'{key} {value_of(member)}')}\n"
            page += roff(member["description"]) + "\n" if "description" in member else ""
        elif "properties" not in member:
            page += described(f"{key} {value_of(member)}", member.get("description", ""))
        if isinstance(inner, dict):
            page += keys(inner, key + (".N" if inner is not member else ""))
    return page


def main():
    template, program, output = map(pathlib.Path, sys.argv[1:4])
    page = template.read_text(encoding="utf-8")
    makers = {
        "@VERSION@": lambda: said(program, "version").split()[1],
        "@COMMANDS@": lambda: commands(program),
        "@OPTIONS@": lambda: options(said(program, "plugin", "check", "--help")),
        "@KEYS@": lambda: keys(json.loads(said(program, "config", "schema"))),
    }
    for mark, made in makers.items():
        if mark in page:
            page = page.replace(mark, made().rstrip("\n"))
    for name, path in (given.split("=", 1) for given in sys.argv[4:]):
        page = page.replace(f"@{name}@", roff(path))
    output.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
