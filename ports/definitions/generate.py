#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generates what follows from the definition of a port (ports/definitions/*.port): the C header, the program that prints
its layout, and the index of rules for the plugin checker. The output is committed; a test fails where it is stale.

Usage: generate.py [--check]
  --check  writes nothing; exits with 1 and names the files whose committed text differs

A definition has one declaration for each constant, struct, sink and function; docs/plugins/port-definitions.md describes
the language. Only the Python standard library is used.
"""
import collections
import pathlib
import re
import sys
import textwrap

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
WIDTH = 120

Field = collections.namedtuple("Field", "kind name count target doc")
Struct = collections.namedtuple("Struct", "name target fields is_fixed doc")
Constant = collections.namedtuple("Constant", "name value target doc group")
Sink = collections.namedtuple("Sink", "name fields target returns doc")
Function = collections.namedtuple("Function", "name fields result target is_batch is_optional c_text doc")

# kind: (C type, size, alignment). Lists are a pointer and a size_t.
SCALARS = {
    "text": ("kb_view", 16, 8), "id": ("kb_view", 16, 8), "bytes": ("kb_view", 16, 8),
    "u8": ("uint8_t", 1, 1), "i32": ("int32_t", 4, 4), "u32": ("uint32_t", 4, 4), "flag": ("uint32_t", 4, 4),
    "day": ("int32_t", 4, 4), "i64": ("int64_t", 8, 8), "instant": ("int64_t", 8, 8), "u64": ("uint64_t", 8, 8),
    "ms": ("uint64_t", 8, 8), "f64": ("double", 8, 8), "size": ("size_t", 8, 8), "data": ("void*", 8, 8),
}


class Failure(Exception):
    """The definition is wrong; the text names the file and the line."""


# ---------------------------------------------------------------------------------------------------------- parsing

class Port:
    """A parsed definition: `parts` has the declarations in their order."""

    def __init__(self, path):
        self.path, self.parts, self.uses = path, [], []
        self.id = self.target = self.prefix = self.doc = self.handle = self.writer = None
        self.version = 1
        self.read(path.read_text(encoding="utf-8"))

    def read(self, text):
        doc, statement, start = [], "", 0
        for number, line in enumerate(text.splitlines(), 1):
            line = line.strip()
            try:
                if statement == "" and line.startswith("///"):
                    doc.append(line[3:].removeprefix(" "))
                elif statement == "" and line.startswith("//"):
                    if "SPDX" not in line:
                        self.note(line[2:].strip())
                elif line or statement:
                    start = start or number
                    statement += line + "\n"
                    open_braces = statement.count("{") - statement.count("}")
                    if open_braces == 0 and re.search(r"[;}]\s*(///.*)?\n$", statement):
                        self.declare(statement, "\n".join(doc).strip())
                        doc, statement, start = [], "", 0
            except Failure as failure:
                raise Failure(f"{self.path.name}:{start or number}: {failure}") from None
        if statement:
            raise Failure(f"{self.path.name}:{start}: the declaration has no end")

    def note(self, text):
        """A comment between functions is a comment of the table; several lines are one."""
        if self.parts and isinstance(self.parts[-1], str):
            self.parts[-1] += " " + text
        else:
            self.parts.append(text)

    def declare(self, statement, doc):
        trailing = re.search(r";\s*///<?\s*(.*)\n$", statement)
        if trailing and "{" not in statement:
            doc, statement = trailing.group(1), statement[:trailing.start() + 1]
        words = statement.split(None, 1)
        reader = getattr(self, "read_" + words[0], None)
        if reader is None:
            raise Failure(f"unknown declaration: {words[0]}")
        reader(statement.strip(), doc)

    def match(self, pattern, statement):
        found = re.fullmatch(pattern, statement, re.S)
        if not found:
            raise Failure(f"cannot read: {statement.splitlines()[0]}")
        return found

    def read_port(self, statement, doc):
        found = self.match(r"port (\w+) (\d+) : ([\w:]+)(?: prefix (\w+))?;", statement)
        self.id, self.version, self.target, self.prefix = found.groups()
        self.prefix = self.prefix or self.id.upper()
        self.doc = doc

    def read_uses(self, statement, _):
        self.uses.append(self.match(r"uses (\w+);", statement).group(1))

    def bit(self, statement, doc, group):
        found = self.match(r"\w+ (\w+) = (\d+)(?: : ([\w, ]+))?;", statement)
        self.parts.append(Constant(f"KB_{self.prefix}_{group}_{found[1]}", found[2] + "u", found[3], doc, group))

    def read_inline(self, statement, doc):
        self.bit(statement, doc, "INLINE")

    def read_can(self, statement, doc):
        self.bit(statement, doc, "CAN")

    def read_has(self, statement, doc):
        self.bit(statement, doc, "HAS")

    def read_is(self, statement, doc):
        self.bit(statement, doc, "IS")

    def read_define(self, statement, doc):
        found = self.match(r"define (\w+) (.+?);", statement)
        self.parts.append(Constant(found[1], found[2], None, doc, "define " + "_".join(found[1].split("_")[:2])))

    def read_enum(self, statement, doc):
        found = self.match(r"enum (\w+)(?: : ([\w:]+))? \{(.*)\}", statement)
        for number, entry in enumerate(re.findall(r"(\w+) = (\w+)(?: : (\w+))?\s*[,;]?\s*(?:///< ?([^\n]*))?", found[3])):
            name, value, target, entry_doc = entry
            self.parts.append(Constant(f"KB_{found[1].upper()}_{name}", value, target or None,
                                       entry_doc or (doc if number == 0 else ""), "enum " + found[1]))

    def read_fixed(self, statement, doc):
        self.read_struct(statement.removeprefix("fixed "), doc, True)

    def read_struct(self, statement, doc, is_fixed=False):
        found = self.match(r"struct (\w+)(?: : ([\w:]+))? \{(.*)\}", statement)
        fields, pending = [], []
        for line in found[3].splitlines():
            line = line.strip()
            if line.startswith("///") and not line.startswith("///<"):
                pending.append(line[3:].strip())
            elif line.startswith("///<"):
                fields[-1] = fields[-1]._replace(doc=fields[-1].doc + " " + line[4:].strip())
            elif line:
                declared = self.match(r"(.+?);(?:\s*///< ?(.*))?", line)
                fields.append(self.field(declared[1], declared[2] or " ".join(pending)))
                pending = []
        self.parts.append(Struct(found[1], found[2], fields, is_fixed, doc))

    def field(self, text, doc=""):
        """KIND NAME [/ SINGULAR] [: MEMBER]; KIND is a scalar, `texts`, `ref X`, `list X`, `fn X`, or has a `?`. A member
        of a kind that occurs once is written as C: call "C DECLARATION"."""
        verbatim = re.fullmatch(r'call "(.*)"', text)
        if verbatim:
            name = re.search(r"\(\*(\w+)\)|(\w+)$", verbatim[1])
            return Field("call " + verbatim[1], name[1] or name[2], None, None, doc)
        found = self.match(r"(?:(ref|list|array|fn|enum) )?([\w?]+(?:\[\d+\])?) (\w+)(?: / (\w+))?(?: : ([\w.]+))?", text)
        form, kind, name, count, target = found.groups()
        return Field(f"{form} {kind}" if form else kind, name, count, target, doc)

    def fields(self, text):
        """Parameters of a function; `slice` stands for offset and limit."""
        return [Field("slice", "slice", None, None, "") if part.strip() == "slice" else self.field(part.strip())
                for part in text.split(",") if part.strip()]

    def read_sink(self, statement, doc, returns="int32_t"):
        found = self.match(r"sink (\w+)\((.*?)\)(?: : ([\w:]+))?;", statement)
        row = re.fullmatch(r"(\w+)(?: (\w+))?", found[2])
        is_row = row and row[1] not in SCALARS
        fields = [self.field(f"ref {row[1]} {row[2] or row[1]}")] if is_row else self.fields(found[2])
        self.parts.append(Sink(found[1], fields, found[3], returns, doc))

    def read_void(self, statement, doc):
        self.read_sink(statement.removeprefix("void "), doc, "void")

    def read_handle(self, statement, doc):
        self.handle = self.match(r"handle (\w+);", statement).group(1)
        self.parts.append(("handle", f"kb_{self.id}", doc))

    def read_writer(self, statement, doc):
        found = self.match(r"writer (\w+) : ([\w:]+);", statement)
        self.writer = found[1]
        self.parts.append(("handle", f"kb_{found[1]}", doc))

    def read_const(self, statement, doc):
        found = self.match(r"const (\w+) (\w+)(?: : (\w+))?;", statement)
        self.parts.append(Function(found[2], [], "const " + found[1], found[3], False, False, None, doc))

    def read_fn(self, statement, doc, is_batch=False):
        raw = re.fullmatch(r"fn (\w+)(?: : (\w+))? = (.*);", statement, re.S)
        if raw:
            text = " ".join(raw[3].split())
            self.parts.append(Function(raw[1], [], "custom", raw[2], is_batch, False, text, doc))
            return
        found = self.match(r"fn (\w+)(?: : (\w+))?\((.*?)\)(?: -> (.*?))?( optional)?;", statement)
        self.parts.append(Function(found[1], self.fields(found[3]), found[4], found[2], is_batch, bool(found[5]), None, doc))

    def read_batch(self, statement, doc):
        statement = statement.removeprefix("batch ")
        if statement == "abort;":
            self.parts.append(Function("abort", [], "abort", None, True, False, None, doc))
        else:
            self.read_fn(statement, doc, True)


# --------------------------------------------------------------------------------------------------------- C header

def comment(text, indent="", open_mark="/* ", close_mark=" */"):
    """A C comment, wrapped; paragraphs of the text stay."""
    paragraphs = [" ".join(part.split()) for part in text.split("\n\n")]
    lines = []
    for paragraph in paragraphs:
        if lines:
            lines.append("")
        lines += textwrap.wrap(paragraph, WIDTH - len(indent) - 3 - len(close_mark), break_long_words=False,
                               break_on_hyphens=False)
    if len(lines) == 1:
        return f"{indent}{open_mark}{lines[0]}{close_mark}"
    body = "\n".join((f"{indent} * {line}" if line else f"{indent} *") for line in lines[1:])
    return f"{indent}{open_mark}{lines[0]}\n{body}{close_mark}"


def trailed(line, doc, indent=""):
    """A line with its comment: behind it where both fit, else before it."""
    if not doc:
        return indent + line
    if len(indent) + len(line) + len(doc) + 7 <= WIDTH and "\n" not in doc:
        return f"{indent}{line} /* {doc} */"
    return comment(doc, indent) + "\n" + indent + line


def aligned(text):
    """The text with the comments behind consecutive lines in one column, as clang-format aligns them."""
    lines, first = text.split("\n"), None
    for index, line in enumerate(lines + [""]):
        is_trailed = re.match(r" *[^ /].* /\* .*\*/$", line)
        if is_trailed and first is None:
            first = index
        if not is_trailed and first is not None:
            parts = [each.rsplit(" /* ", 1) for each in lines[first:index]]
            column = max(len(code) for code, _ in parts)
            lines[first:index] = [f"{code:<{column}} /* {doc}" for code, doc in parts]
            first = None
    return "\n".join(lines)


def c_members(field):
    """(C declaration, name, size, alignment) of each member that a field has."""
    kind, name = field.kind, field.name
    array = re.fullmatch(r"(\w+)\[(\d+)\]", kind)
    if array:
        base, size, alignment = SCALARS[array[1]]
        return [(f"{base} {name}[{array[2]}]", name, size * int(array[2]), alignment)]
    if kind == "texts" or kind.startswith("list "):
        element = "kb_view" if kind == "texts" else "kb_" + kind[5:]
        count = (field.count or name.removesuffix("s")) + "_count"
        return [(f"const {element}* {name}", name, 8, 8), (f"size_t {count}", count, 8, 8)]
    if kind.startswith("ref "):
        return [(f"const kb_{kind[4:]}* {name}", name, 8, 8)]
    if kind.startswith("call "):
        return [(kind[5:], name, 8, 8)]
    if kind.startswith("enum "):
        return [(f"int32_t {name}", name, 4, 4)]
    if kind.startswith("fn "):
        return [(f"kb_{kind[3:]}_sink {name}", name, 8, 8)]
    if kind.endswith("?"):
        return [(f"const {SCALARS[kind[:-1]][0]}* {name}", name, 8, 8)]
    if kind not in SCALARS:
        raise Failure(f"unknown type {kind} of {name}")
    base, size, alignment = SCALARS[kind]
    return [(f"{base} {name}", name, size, alignment)]


def laid_out(struct):
    """(declaration, name, offset, size, doc) of the members in order, with `reserved` where the layout has a hole."""
    rows, offset, widest = [], 0, 1
    members = [] if struct.is_fixed else [("uint32_t struct_size", "struct_size", 4, 4, "")]
    for field in struct.fields:
        parts = c_members(field)
        members += [(*part, field.doc if index == 0 else "") for index, part in enumerate(parts)]
    for declaration, name, size, alignment, doc in members:
        hole = -offset % alignment
        if hole:
            rows.append(("uint32_t reserved", "reserved", offset, 4, ""))
            offset += 4
        if hole not in (0, 4):
            raise Failure(f"{struct.name}.{name}: a hole of {hole} bytes")
        rows.append((declaration, name, offset, size, doc))
        offset, widest = offset + size, max(widest, alignment)
    if offset % widest:
        declaration = "int32_t reserved" if struct.is_fixed else "uint32_t reserved"
        rows.append((declaration, "reserved", offset, 4, ""))
        offset += 4
    if [name for _, name, *_ in rows].count("reserved") > 1:
        raise Failure(f"{struct.name}: two holes")
    return rows, offset


def parameters(field):
    """C parameters of a function's field."""
    kind, name = field.kind, field.name
    if kind == "slice":
        return ["uint64_t offset", "uint64_t limit"]
    if kind in ("ids", "texts"):
        return [f"const kb_view* {name}", f"size_t {field.count or name.removesuffix('s')}_count"]
    if kind.startswith("array "):
        count = "count" if field.count is None else field.count + "_count"
        return [f"const kb_{kind[6:]}* const* {name}", f"size_t {count}"]
    if kind.startswith("list "):
        count = "count" if field.count is None else field.count + "_count"
        return [f"const kb_{kind[5:]}* {name}", f"size_t {count}"]
    if "[" in kind:
        declaration = c_members(field)[0][0]
        return ["const " + declaration]
    return [declaration for declaration, *_ in c_members(field)]


def result_parameters(port, result):
    """C parameters by which a function gives its result."""
    words = (result or "").split()
    if not words or words[0] in ("bool", "existing", "const", "custom", "abort"):
        return []
    if words[0] in ("one", "rows", "found"):
        return [f"kb_{words[1]}_sink sink", "void* data"] + (["uint64_t* up_to"] if "up_to" in words else [])
    if words[0] == "writer":
        return [f"kb_{port.writer}** writer"]
    name = words[1] if len(words) > 1 else "out"
    if words[0] in SCALARS:
        return [f"{SCALARS[words[0]][0]}* {name}"]
    return [f"kb_{words[0]}* {name}"]


def signature(port, function):
    """The member of the table."""
    handle = f"kb_{port.writer}* writer" if function.is_batch else f"kb_{port.id}* {port.handle}"
    if function.result == "abort":
        return f"void (*abort)({handle}, kb_call* call)"
    if function.result == "const bytes16":
        return f"void (*{function.name})({handle}, uint8_t out[16])"
    if function.result == "const text":
        return f"kb_view (*{function.name})({handle})"
    if function.c_text:
        return function.c_text
    parts = [handle, "kb_call* call"] + [each for field in function.fields for each in parameters(field)]
    return f"kb_status (*{function.name})({', '.join(parts + result_parameters(port, function.result))})"


def wrapped(text, indent):
    """A declaration that is longer than a line, continued behind its opening bracket as clang-format does."""
    line = indent + text
    if len(line) <= WIDTH:
        return line
    column = line.index(")(") + 2
    lines, rest = [], line
    while len(rest) > WIDTH:
        cut = rest.rfind(", ", 0, WIDTH)
        lines.append(rest[:cut + 1])
        rest = " " * column + rest[cut + 2:]
    return "\n".join(lines + [rest])


TABLE_HEAD = """  uint32_t struct_size;
  uint32_t inline_calls;
  uint32_t flags;
  uint32_t capabilities;
  const char* config_schema;
  kb_status (*create)(const kb_host* host, kb_call* call, kb_view config, kb_{id}** instance);
  void (*destroy)(kb_{id}* {handle});
  kb_status (*health)(kb_{id}* {handle}, kb_call* call);
"""


def header_text(port):
    out = ["/* SPDX-License-Identifier: Apache-2.0 */",
           comment(f"kbase/{port.id}.h: port kbase.{port.id}/{port.version}. Generated from "
                   f"ports/definitions/{port.id}.port.\n\n{port.doc}"),
           f"#ifndef KBASE_{port.id.upper()}_H", f"#define KBASE_{port.id.upper()}_H", ""]
    out += [f'#include "kbase/{name}.h"' for name in port.uses or ["base"]]
    out += ["", "#ifdef __cplusplus", 'extern "C" {', "#endif", "",
            f'#define KB_PORT_{port.id.upper()} "kbase.{port.id}/{port.version}"', ""]
    table, previous = [], None
    for part in port.parts:
        group = part.group if isinstance(part, Constant) else None
        if isinstance(part, Function) or isinstance(part, str):
            table.append(part)
            continue
        if group is None or group != previous:
            out += [""] if out[-1] != "" else []
        previous = group
        if isinstance(part, Constant):
            out.append(trailed(f"#define {part.name} {part.value}", part.doc))
        elif isinstance(part, Struct):
            out += struct_text(part)
        elif isinstance(part, Sink):
            arguments = ", ".join(each for field in part.fields for each in parameters(field))
            text = f"typedef {part.returns} (*kb_{part.name}_sink)(void* data, {arguments});"
            out += ([comment(part.doc)] if part.doc else []) + [wrapped(text, "")]
        else:
            out += ([comment(part[2])] if part[2] else []) + [f"typedef struct {part[1]} {part[1]};"]
    out += ["", f"typedef struct kb_{port.id}_v{port.version} {{"]
    out.append(TABLE_HEAD.format(id=port.id, handle=port.handle).rstrip("\n"))
    for part in table:
        if isinstance(part, str):
            out += ["", comment("--- " + part + " ---", "  ")]
        else:
            out += [""] + ([comment(part.doc, "  ")] if part.doc else [])
            out.append(wrapped(signature(port, part) + ";", "  "))
    out += [f"}} kb_{port.id}_v{port.version};", "", "#ifdef __cplusplus", "}", "#endif", "", "#endif", ""]
    return aligned("\n".join(out))


def struct_text(struct):
    out = [comment(struct.doc)] if struct.doc else []
    out.append(f"typedef struct kb_{struct.name} {{")
    out += [trailed(f"{declaration};", doc, "  ") for declaration, _, _, _, doc in laid_out(struct)[0]]
    return out + [f"}} kb_{struct.name};"]


# ------------------------------------------------------------------------------------------------------------- main

def outputs(ports):
    """Path below the root -> text of every generated file."""
    return {f"plugins/sdk/include/kbase/{port.id}.h": header_text(port) for port in ports}


def main(arguments):
    try:
        texts = outputs([Port(path) for path in sorted(HERE.glob("*.port"))])
    except Failure as failure:
        sys.exit(f"generate.py: {failure}")
    stale = [name for name, text in texts.items()
             if not (ROOT / name).exists() or (ROOT / name).read_text(encoding="utf-8") != text]
    if "--check" in arguments:
        if stale:
            sys.exit("generate.py: stale, run ports/definitions/generate.py: " + ", ".join(stale))
        return
    for name in stale:
        (ROOT / name).write_text(texts[name], encoding="utf-8")
        print("wrote", name)


if __name__ == "__main__":
    main(sys.argv[1:])
