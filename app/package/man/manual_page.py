# SPDX-License-Identifier: Apache-2.0
"""Writes a manual page: a template, in which @COMMANDS@, @OPTIONS@ and @KEYS@ are replaced by the program's own help,
and @NAME@ by the path given as NAME.

usage: manual_page.py TEMPLATE PROGRAM OUTPUT [NAME=PATH...]
"""

import json
import pathlib
import subprocess
import sys

# Column of descriptions in help texts. After a longer term, the description is on the next line.
COLUMN = 30


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def roff(text):
    """Escapes text for groff: no part is a command, and hyphens stay hyphens."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq")
    return "\\&" + text if text.startswith((".", "'")) else text


def split_sections(help_text):
    """Returns the sections of a help text as lists of pairs (term, description); the first one has the lines before them."""
    parts, entries = {"": []}, []
    for line in help_text.splitlines():
        if line and not line.startswith(" ") and line.endswith(":"):
            entries = parts.setdefault(line[:-1], [])
        elif line.startswith("  ") and not line.startswith("   "):
            has_description = line[COLUMN - 1 : COLUMN] == " "
            entries.append((line[:COLUMN].strip(), line[COLUMN:].strip()) if has_description else (line.strip(), ""))
        elif line.startswith("   ") and entries:
            term, description = entries.pop()
            entries.append((term, (description + " " + line.strip()).strip()))
        elif line.strip():
            parts[""].append(line)
    return parts


def format_entry(term, description):
    return f".TP\n.B {roff(term)}\n{roff(description)}\n"


def options(help_text):
    parts = split_sections(help_text)
    entries = parts.get("Positionals", []) + parts.get("Options", [])
    return "".join(format_entry(term, text) for term, text in entries if not term.startswith("-h,"))


def usage(help_text):
    line = next(line for line in split_sections(help_text)[""] if line.startswith("Usage: "))
    return line.removeprefix("Usage: ")


def commands(program, path=()):
    help_text = output_of(program, *path, "--help")
    below = split_sections(help_text).get("Subcommands", [])
    if not below:
        return f".SS {roff(usage(help_text))}\n{roff(split_sections(help_text)[''][0])}\n" + options(help_text)
    return "".join(commands(program, (*path, name)) for name, _ in below)


def describe_type(schema):
    kind = schema.get("format", schema.get("type", "any"))
    words = ", ".join(str(word) for word in schema["enum"]) if "enum" in schema else kind
    if "default" not in schema:
        return f"({words})"
    default = schema["default"]
    return f"({words}; default {default if isinstance(default, str) and default else json.dumps(default)})"


def keys(schema, path=""):
    """Formats every key of the configuration with its full name, as --set expects it."""
    page = ""
    for name, member in schema.get("properties", {}).items():
        key = f"{path}.{name}" if path else name
        inner = member.get("items", {}) if member.get("type") == "array" else member
        if not path:
            is_section = "properties" in inner
            page += f".SS {roff(key if is_section else f'{key} {describe_type(member)}')}\n"
            page += roff(member["description"]) + "\n" if "description" in member else ""
        elif "properties" not in member:
            page += format_entry(f"{key} {describe_type(member)}", member.get("description", ""))
        if isinstance(inner, dict):
            page += keys(inner, key + (".N" if inner is not member else ""))
    return page


def main():
    template, program, output = map(pathlib.Path, sys.argv[1:4])
    page = template.read_text(encoding="utf-8")
    sections = {
        "@VERSION@": lambda: output_of(program, "version").split()[1],
        "@COMMANDS@": lambda: commands(program),
        "@OPTIONS@": lambda: options(output_of(program, "plugin", "check", "--help")),
        "@KEYS@": lambda: keys(json.loads(output_of(program, "config", "schema"))),
    }
    for placeholder, make_text in sections.items():
        if placeholder in page:
            page = page.replace(placeholder, make_text().rstrip("\n"))
    for name, path in (given.split("=", 1) for given in sys.argv[4:]):
        page = page.replace(f"@{name}@", roff(path))
    output.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
