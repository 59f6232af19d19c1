#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generates what follows from the definitions of the ports (ports/definitions/*.port): the C headers and the check of
their layout, the conversion of structs, the tables of the SDK, the proxies of the host, the Rust modules of the examples,
and the tables of the reference pages. The output is committed; a test fails where it is stale.

Usage: generate.py [--check]
  --check  writes nothing; exits with 1 and names the files whose committed text differs

A definition has one declaration for each constant, struct, sink and function; docs/architecture/port-definitions.md describes
the language."""
import collections
import pathlib
import re
import sys
import textwrap

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
WIDTH = 120

# Declarations of a definition. A field of kind `call` is written in C; a `custom` function has its C text.
Field = collections.namedtuple("Field", "kind name count target doc since", defaults=[0])
Struct = collections.namedtuple("Struct", "name target fields is_fixed doc")
Shape = collections.namedtuple("Shape", "name target struct without")
Constant = collections.namedtuple("Constant", "name value target doc group")
Sink = collections.namedtuple("Sink", "name fields target returns doc")
Function = collections.namedtuple("Function", "name fields result target is_batch is_optional c_text doc")
Handle = collections.namedtuple("Handle", "name doc")

Kind = collections.namedtuple("Kind", "c size alignment port visit from_c")
VIEW = ("kb_view", 16, 8, "std::string_view")
KINDS = {name: Kind(*values) for name, values in {
    "text": (*VIEW, "text", "text_of({})"), "id": (*VIEW, "id", "text_of({})"), "bytes": (*VIEW, "bytes", "text_of({})"),
    "name": (*VIEW, "name", "text_of({})"), "u8": ("uint8_t", 1, 1, "", "number", ""),
    "i32": ("int32_t", 4, 4, "std::int32_t", "number", "{}"), "u32": ("uint32_t", 4, 4, "std::uint32_t", "number", "{}"),
    "flag": ("uint32_t", 4, 4, "bool", "flag", ""), "bits": ("uint32_t", 4, 4, "", "bits", ""),
    "day": ("int32_t", 4, 4, "model::Day", "day", "day_of({})"), "instant": ("int64_t", 8, 8, "model::Instant", "instant", "instant_of({})"),
    "u64": ("uint64_t", 8, 8, "std::uint64_t", "number", "{}"), "f64": ("double", 8, 8, "double", "number", "{}"),
    "ms": ("uint64_t", 8, 8, "std::chrono::milliseconds", "", "duration_of({})"), "data": ("void*", 8, 8, "", "", ""),
    "text?": ("const kb_view*", 8, 8, "std::optional<std::string_view>", "optional", "FromC::optional({})"),
    "day?": ("const int32_t*", 8, 8, "", "optional", "")}.items()}


class Failure(Exception):
    """The definition is wrong; the text names the file and the line."""


class Port:
    """A parsed definition: `parts` has the declarations in their order, and a text for each comment between them."""

    def __init__(self, path):
        self.path, self.parts, self.uses, self.enums = path, [], [], {}
        self.id = self.target = self.prefix = self.handle = self.writer = self.writer_target = None
        self.read(path.read_text(encoding="utf-8"))
        self.functions = [part for part in self.parts if isinstance(part, Function)]
        self.names = ["create", "destroy", "health"] + [function.name for function in self.functions]
        self.table = f"kb_{self.id}_v{self.version}"

    def read(self, text):
        doc, statement, start = [], "", 0
        for number, line in enumerate(text.splitlines(), 1):
            line = line.strip()
            try:
                if not statement and line.startswith("///"):
                    doc.append(line[3:].removeprefix(" "))
                elif not statement and line.startswith("//"):
                    self.note("" if "SPDX" in line else line[2:].strip())
                elif line or statement:
                    start = start or number
                    statement += line + "\n"
                    if statement.count("{") == statement.count("}") and re.search(r"[;}]\s*(///.*)?\n$", statement):
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
        elif text:
            self.parts.append(text)

    def declare(self, statement, doc):
        trailing = re.search(r";\s*///<?\s*(.*)\n$", statement)
        if trailing and "{" not in statement:
            doc, statement = trailing[1], statement[:trailing.start() + 1]
        word = statement.split(None, 1)[0]
        if word in ("inline", "can", "has", "is"):
            found = match(r"\w+ (\w+) = (\d+)(?: : ([\w, ()]+))?;", statement.strip())
            self.parts.append(Constant(f"KB_{self.prefix}_{word.upper()}_{found[1]}", found[2] + "u", found[3], doc, word.upper()))
            return
        is_special = word in ("fixed", "void", "batch")  # a struct without size, a sink that returns nothing, a batch's function
        statement = statement.removeprefix(word).strip() if is_special else statement.strip()
        reader = getattr(self, "read_" + statement.split(None, 1)[0].rstrip(";"), None)
        if reader is None:
            raise Failure(f"unknown declaration: {word}")
        reader(statement, doc, *[True] * is_special)

    def read_port(self, statement, doc):
        found = match(r"port (\w+) (\d+) : ([\w:]+)(?: prefix (\w+))?( without health)?;", statement)
        self.id, self.version, self.target, self.prefix, without_health = found.groups()
        self.prefix, self.has_health, self.doc = self.prefix or self.id.upper(), not without_health, doc

    def read_uses(self, statement, _):
        self.uses.append(match(r"uses (\w+);", statement)[1])

    def read_define(self, statement, doc):
        found = match(r"define (\w+) (.+?);", statement)
        self.parts.append(Constant(found[1], found[2], None, doc, "define " + "_".join(found[1].split("_")[:2])))

    def read_enum(self, statement, doc):
        found = match(r"enum (\w+)(?: : ([\w:]+))? \{(.*)\}", statement)
        entries = re.findall(r"(\w+) = (\w+)\s*[,;]?\s*(?:///< ?([^\n]*))?", found[3])
        names = [f"KB_{found[1].upper()}_{name}" for name, _, _ in entries]
        self.enums[found[1]] = (found[2], names)
        docs = [entry_doc or ("" if number else doc) for number, (_, _, entry_doc) in enumerate(entries)]
        self.parts += [Constant(name, entry[1], None, each, "enum " + found[1]) for name, entry, each in zip(names, entries, docs)]

    def read_struct(self, statement, doc, is_fixed=False):
        found = match(r"struct (\w+)(?: : ([\w:]+))? \{(.*)\}", statement)
        fields, pending, since = [], [], 0
        for line in filter(None, map(str.strip, found[3].splitlines())):
            if line.startswith("since "):
                since = int(match(r"since (\d+);", line)[1])
            elif line.startswith("///<"):
                fields[-1] = fields[-1]._replace(doc=fields[-1].doc + " " + line[4:].strip())
            elif line.startswith("///"):
                pending.append(line[3:].strip())
            else:
                declared = match(r"(.+?);(?:\s*///< ?(.*))?", line)
                fields.append(read_field(declared[1], declared[2] or " ".join(pending))._replace(since=since))
                pending = []
        self.parts.append(Struct(found[1], found[2], fields, is_fixed, doc))

    def read_shape(self, statement, _):
        found = match(r"shape (\w+) : ([\w:]+) of (\w+)(?: without ([\w ]+))?;", statement)
        self.parts.append(Shape(found[1], found[2], found[3], (found[4] or "").split()))

    def read_sink(self, statement, doc, is_void=False):
        found = match(r"sink (\w+)\((.*?)\)(?: : ([\w:]+))?;", statement)
        row = re.fullmatch(r"(\w+)(?: (\w+))?", found[2])
        fields = [read_field(f"ref {row[1]} {row[2] or row[1]}")] if row and row[1] not in KINDS else read_fields(found[2])
        self.parts.append(Sink(found[1], fields, found[3], "void" if is_void else "int32_t", doc))

    def read_handle(self, statement, doc):
        self.handle = match(r"handle (\w+);", statement)[1]
        self.parts.append(Handle(f"kb_{self.id}", doc))

    def read_writer(self, statement, doc):
        self.writer, self.writer_target = match(r"writer (\w+) : ([\w:]+);", statement).groups()
        self.parts.append(Handle(f"kb_{self.writer}", doc))

    def read_const(self, statement, doc):
        found = match(r"const (\w+) (\w+)(?: : (\w+))?;", statement)
        self.parts.append(Function(found[2], [], "const " + found[1], found[3], False, False, None, doc))

    def read_fn(self, statement, doc, is_batch=False):
        custom = re.fullmatch(r"fn (\w+)(?: : (\w+))? = (.*?)( optional)?;", statement, re.S)
        if custom:
            self.parts.append(Function(custom[1], [], "custom", custom[2], is_batch, bool(custom[4]), " ".join(custom[3].split()), doc))
            return
        found = match(r"fn (\w+)(?: : (\w+))?\((.*?)\)(?: -> (.*?))?( optional)?;", statement)
        self.parts.append(Function(found[1], read_fields(found[3]), found[4] or "", found[2], is_batch, bool(found[5]), None, doc))

    def read_abort(self, _, doc, is_batch):
        self.parts.append(Function("abort", [], "abort", None, is_batch, False, None, doc))

    def result_parameters(self, result):
        """C parameters by which a function gives its result."""
        words = result.split()
        if not words or words[0] in ("bool", "existing", "const", "custom", "abort"):
            return []
        if words[0] in ("one", "rows", "found", "optional"):
            return [f"kb_{words[1]}_sink sink", "void* data"] + ["uint64_t* up_to"] * ("up_to" in words)
        if words[0] == "writer":
            return [f"kb_{self.writer}** writer"]
        kind = KINDS[words[0]].c if words[0] in KINDS else "kb_" + words[0]
        return [f"{kind}* {words[1] if len(words) > 1 else 'out'}"]

    def c_function(self, function):
        """(Returned type, parameters) of a function of the table."""
        if function.c_text:
            found = match(r"(\w+) \(\*\w+\)\((.*)\)", function.c_text)
            return found[1], found[2].split(", ")
        handle = f"kb_{self.writer}* writer" if function.is_batch else f"kb_{self.id}* {self.handle}"
        special = {"abort": ["kb_call* call"], "const bytes16": ["uint8_t out[16]"]}
        if function.result in special:
            return "void", [handle] + special[function.result]
        inputs = [each for field in function.fields for each in parameters(field)]
        return "kb_status", [handle, "kb_call* call"] + inputs + self.result_parameters(function.result)

    def header_text(self):
        guard, previous, table = f"KBASE_{self.id.upper()}_H", None, []
        out = ["/* SPDX-License-Identifier: Apache-2.0 */",
               comment(f"kbase/{self.id}.h: port kbase.{self.id}/{self.version}. Generated from ports/definitions/{self.id}.port."
                       f"\n\n{self.doc}"), f"#ifndef {guard}", f"#define {guard}", "",
               *[f'#include "kbase/{name}.h"' for name in self.uses or ["base"]], "", "#ifdef __cplusplus", 'extern "C" {', "#endif", "",
               f'#define KB_PORT_{self.id.upper()} "kbase.{self.id}/{self.version}"', ""]
        for part in self.parts:
            if isinstance(part, Function):
                table += ["", *[comment(part.doc, "  ")] * bool(part.doc)]
                table.append(wrapped("{} (*{})({});".format(self.c_function(part)[0], part.name, ", ".join(self.c_function(part)[1])), "  "))
            elif isinstance(part, str):
                table += ["", comment("--- " + part + " ---", "  ")]
            elif not isinstance(part, Shape):
                group = part.group if isinstance(part, Constant) else None
                out += [""] if (group is None or group != previous) and out[-1] != "" else []
                previous = group
                out += [] if isinstance(part, Constant) or not part.doc else [comment(part.doc)]
                if isinstance(part, Constant):
                    out.append(documented(f"#define {part.name} {part.value}", part.doc))
                elif isinstance(part, Struct):
                    members = [documented(f"{declaration};", doc, "  ") for declaration, _, _, _, doc in laid_out(part)[0]]
                    out += [f"typedef struct kb_{part.name} {{", *members, f"}} kb_{part.name};"]
                elif isinstance(part, Sink):
                    inputs = ", ".join(each for field in part.fields for each in parameters(field))
                    out.append(wrapped(f"typedef {part.returns} (*kb_{part.name}_sink)(void* data, {inputs});", ""))
                else:
                    out.append(f"typedef struct {part.name} {part.name};")
        out += ["", f"typedef struct {self.table} {{", TABLE_START.format(self.id, self.handle), *table, f"}} {self.table};", "",
                "#ifdef __cplusplus", "}", "#endif", "", "#endif", ""]
        return "\n".join(out)

    def offers(self, function):
        """The condition under which the plugin has an optional function."""
        tied = [part for part in self.parts if isinstance(part, Constant) and function.name in re.findall(r"\w+", part.target or "")[1:]]
        parts = [f"instance_->can({each.name})" for each in tied] + [f"KB_HAS(&table_, {function.name}) && table_.{function.name} != nullptr"]
        return " && ".join(parts + ["(table_.flags & KB_TABLE_SERIAL) == 0" for each in tied if "concurrent" in each.target])

    def capabilities(self):
        """The functions that report the bits of the table."""
        members, functions = [], []
        for part in self.parts:
            if isinstance(part, Constant) and part.target and self.has_health | ("()" in part.target):
                words = part.target.split(", ")
                value = f"instance_->{'runs_inline' if part.group == 'INLINE' else 'can'}({part.name})"
                tied = [self.offers(function) for function in self.functions if function.name in words[1:]]
                if words[0].endswith("()"):
                    functions.append(f"  bool {words[0]} const override {{ return {(tied or [value])[0]}; }}")
                else:
                    members.append(f"    made.{words[0]} = {(tied or [value])[0]};")
        made = ["  Capabilities capabilities() const override {", "    Capabilities made;", *members, "    return made;", "  }"]
        return functions + made * bool(members)

    def page_text(self, page):
        """The page with its tables between the marks replaced; a row has the first sentence of the description."""
        def first(doc):
            return re.split(r"(?<=[a-z)`])\.(?: |\n|$)", " ".join(doc.split()), maxsplit=1)[0].replace("|", "\\|")
        functions = [f"| `{part.name}`{' (optional)' * part.is_optional} | {first(part.doc) or 'see the header'} |" for part in self.functions]
        bits = [f"| `{part.name}` | {first(part.doc)} |" for part in self.parts
                if isinstance(part, Constant) and part.group in ("INLINE", "CAN", "HAS", "IS")]
        tables = ["| Function | Description |", "|---|---|", *functions]
        tables += ["", "| Bit | Meaning |", "|---|---|", *bits] if bits else []
        begin, end = "<!-- generated by ports/definitions/generate.py -->", "<!-- end -->"
        return re.sub(f"{begin}.*?{end}", lambda _: "\n\n".join([begin, "\n".join(tables), end]), page, flags=re.S)


def match(pattern, statement):
    found = re.fullmatch(pattern, statement, re.S)
    if not found:
        raise Failure(f"cannot read: {statement.splitlines()[0]}")
    return found


def read_field(text, doc=""):
    """KIND NAME [/ SINGULAR] [: MEMBER]; KIND is one of KINDS, `texts`, `ref X`, `list X`, `array X`, `fn X` or `enum X`.
    A member of a kind that occurs once is written as C: call "C DECLARATION"."""
    verbatim = re.fullmatch(r'call "(.*)"', text)
    if verbatim:
        name = re.search(r"\(\*(\w+)\)|(\w+)$", verbatim[1])
        return Field("call " + verbatim[1], name[1] or name[2], None, "-", doc)
    found = match(r"(?:(ref|list|array|fn|enum) )?([\w?]+(?:\[\d+\])?) (\w+)(?: / (\w+))?(?: : ([\w.:-]+))?", text)
    form, kind, name, count, target = found.groups()
    return Field(f"{form} {kind}" if form else kind, name, count, target, doc)


def read_fields(text):
    """Parameters of a function; `slice` stands for offset and limit."""
    return [Field("slice", "slice", None, None, "") if part.strip() == "slice" else read_field(part.strip())
            for part in text.split(",") if part.strip()]


def comment(text, indent=""):
    """A C comment, wrapped; paragraphs of the text stay."""
    lines = []
    for paragraph in text.split("\n\n"):
        lines += [""] * bool(lines) + textwrap.wrap(" ".join(paragraph.split()), WIDTH - len(indent) - 6,
                                                    break_long_words=False, break_on_hyphens=False)
    return f"{indent}/* " + "\n".join(lines).replace("\n", f"\n{indent} * ").replace(" * \n", " *\n") + " */"


def documented(line, doc, indent=""):
    """A line with its comment: behind it where both fit, else before it."""
    if doc and len(indent) + len(line) + len(doc) + 7 > WIDTH:
        return comment(doc, indent) + "\n" + indent + line
    return f"{indent}{line} /* {doc} */" if doc else indent + line


def c_members(field):
    """(C declaration, name, size, alignment) of each member that a field has."""
    name, (form, _, rest) = field.name, field.kind.partition(" ")
    array = re.fullmatch(r"(\w+)\[(\d+)\]", field.kind)
    plain = {"ref": f"const kb_{rest}*", "enum": "int32_t", "fn": f"kb_{rest}_sink"}
    if array:
        base = KINDS[array[1]]
        return [(f"{base.c} {name}[{array[2]}]", name, base.size * int(array[2]), base.alignment)]
    if form in ("texts", "ids", "list", "array"):
        element = {"list": f"kb_{rest}*", "array": f"kb_{rest}* const*"}.get(form, "kb_view*")
        singular = field.count or (name.removesuffix("s") if form in ("texts", "ids") else "")
        count = f"{singular}_count".removeprefix("_")
        return [(f"const {element} {name}", name, 8, 8), (f"size_t {count}", count, 8, 8)]
    if form in plain or form == "call":
        size = 4 if form == "enum" else 8
        return [(f"{plain[form]} {name}" if form in plain else rest, name, size, size)]
    if field.kind not in KINDS:
        raise Failure(f"unknown type {field.kind} of {name}")
    return [(f"{KINDS[field.kind].c} {name}", name, KINDS[field.kind].size, KINDS[field.kind].alignment)]


def laid_out(struct):
    """(declaration, name, offset, size, doc) of the members in order, with `reserved` where the layout has a hole; the
    size of the struct."""
    rows, offset, widest = [], 0, 1
    members = [] if struct.is_fixed else [("uint32_t struct_size", "struct_size", 4, 4, "")]
    for field in struct.fields:
        members += [(*part, "" if index else field.doc) for index, part in enumerate(c_members(field))]
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
        rows.append((f"{'' if struct.is_fixed else 'u'}int32_t reserved", "reserved", offset, 4, ""))
        offset += 4
    if [name for _, name, *_ in rows].count("reserved") > 1:
        raise Failure(f"{struct.name}: two holes")
    return rows, offset


def parameters(field):
    """C parameters of a function's field."""
    if field.kind == "slice":
        return ["uint64_t offset", "uint64_t limit"]
    constant = "const " if "[" in field.kind else ""
    return [constant + declaration for declaration, *_ in c_members(field)]


def names_of(declarations):
    return [re.sub(r"\[\d+\]$", "", text).split()[-1].lstrip("*") for text in declarations]


def wrapped(text, indent):
    """A declaration, continued behind its opening bracket where it is longer than a line."""
    column = " " * (len(indent) + text.find(")(") + 2)
    return textwrap.fill(re.sub("(?<!,) ", "\0", text), WIDTH, initial_indent=indent, subsequent_indent=column).replace("\0", " ")


TABLE_START = """  uint32_t struct_size;
  uint32_t inline_calls;
  uint32_t flags;
  uint32_t capabilities;
  const char* config_schema;
  kb_status (*create)(const kb_host* host, kb_call* call, kb_view config, kb_{0}** instance);
  void (*destroy)(kb_{0}* {1});
  kb_status (*health)(kb_{0}* {1}, kb_call* call);"""


def cpp(includes, lines, is_header=False):
    head = "// SPDX-License-Identifier: Apache-2.0\n// Generated by ports/definitions/generate.py.\n" + "#pragma once\n\n" * is_header
    return head + includes + "\n\n" + "\n".join(lines) + "\n"


def camel(name):
    return "".join(map(str.capitalize, name.split("_")))


class Library:
    """All ports, with what their definitions refer to by name."""

    def __init__(self, ports):
        self.ports = ports
        parts = [part for port in ports for part in port.parts]
        self.structs, self.shapes, self.sinks = ({part.name: part for part in parts if isinstance(part, kind)}
                                                 for kind in (Struct, Shape, Sink))
        self.enums = {name: enum for port in ports for name, enum in port.enums.items()}
        names = [re.sub(r"(?<=[a-z])(?=[A-Z])", "_", port.target[7:]).lower() for port in ports]
        self.includes = "\n".join(f'#include "ports/driven/{name}.hpp"' for name in names)

    def row(self, result):
        """(C++ type of the row, type of its value) of the result "KIND SINK [as SHAPE]"."""
        words = result.split()
        sink = self.sinks[words[1]]
        struct = sink.fields[0].kind.split()[-1]
        if struct not in self.structs:
            return f"std::tuple<{', '.join(KINDS[field.kind].c for field in sink.fields)}>", sink.target
        return "kb_" + struct, (self.shapes[words[3]] if words[2:3] == ["as"] else self.structs[struct]).target

    def value(self, field):
        """The port's type of a parameter that is a struct, or a list of structs."""
        return field.target if "::" in (field.target or "") else self.structs[field.kind.split()[1]].target

    def layout_text(self):
        """What layout.c prints of the ports: every struct with its members, and every constant."""
        out, start = [], ["struct_size", "inline_calls", "flags", "capabilities", "config_schema", "create", "destroy", "health"]
        structs = [("kb_" + struct.name, [row[1] for row in laid_out(struct)[0]]) for struct in self.structs.values()]
        structs += [(port.table, start + [function.name for function in port.functions]) for port in self.ports]
        out += [f"  STRUCT({name}, {', '.join(f'MEMBER({member})' for member in members)});" for name, members in structs]
        for port in self.ports:
            out += [f"  TEXT(KB_PORT_{port.id.upper()});", *[f"  NUMBER({part.name});" for part in port.parts if isinstance(part, Constant)]]
        return cpp("static void print_ports(void) {", out + ["}"])

    def fields_text(self):
        out = ["namespace kbase::sdk {", ""]
        for name, (target, constants) in self.enums.items():
            if target:
                choices = [f"{{{each}, {target}::{camel(each[len('KB_' + name + '_'):].lower())}}}" for each in constants]
                out += [f"inline constexpr std::array<Choice<{target}>, {len(constants)}> k{camel(name)}Choices = {{{{",
                        *[f"    {each}," for each in choices], "}};", ""]
        mirrored = [("kb_" + part.name, part.target, part.fields, ()) for part in self.structs.values() if part.target]
        mirrored += [("kb_" + shape.struct, shape.target, self.structs[shape.struct].fields, shape.without) for shape in self.shapes.values()]
        mirrored += [(self.row("rows " + sink.name)[0], sink.target, sink.fields, ()) for sink in self.sinks.values() if sink.target]
        for row, target, fields, without in mirrored:
            struct = self.structs.get(row[3:])
            def end_of(since):
                last = c_members([field for field in struct.fields if field.since <= since][-1])[-1][1]
                return f"offsetof({row}, {last}) + sizeof({row}::{last})"
            smallest = end_of(0) if struct and not struct.is_fixed else "0"
            calls, since = [], 0
            for index, field in enumerate(fields):
                if field.since != since:
                    since = field.since
                    later = [f"value.{each.target or each.name}" for each in fields
                             if each.since >= since and each.target != "-" and each.name not in without]
                    calls.append(f"    if (row.struct_size < {end_of(since)}) return converter.absent({', '.join(later)});")
                form, _, rest = field.kind.partition(" ")
                members = [f"row.{name}" for _, name, *_ in c_members(field)] if struct else [f"std::get<{index}>(row)"]
                if field.target == "-" or field.name in without:
                    calls.append(f"    converter.none({', '.join(members)});")
                    continue
                members.append("value" if field.target == "self" else "value." + (field.target or field.name))
                visit = "array" if "[" in field.kind else KINDS[field.kind].visit if field.kind in KINDS else form
                if form == "enum":
                    visit, members = "choice", members + [f"k{camel(rest)}Choices"]
                calls.append(f"    converter.{visit}({', '.join(members)});")
            out += ["template <>", f"struct Fields<{row}, {target}> {{", f"  static constexpr std::size_t kSmallest = {smallest};",
                    "  template <class Converter, class Row, class Value>",
                    "  static void visit(Converter& converter, Row& row, Value& value) {", *calls, "  }", "};", ""]
        return cpp('#include <cstddef>\n#include <tuple>\n\n#include "plugins/sdk/conversions.hpp"\n' + self.includes, out + ["}  // namespace kbase::sdk"], True)

    def bindings_text(self):
        out = ["namespace kbase::sdk {", "", "/// Maps a port to its C types. `kFunctions` are the functions of its table, in order; `kCalls` is the "
               "table with the members that are the same for every implementation. `kBytes` is the size of each array of bytes "
               "among the parameters.", "template <class Port>", "struct CBinding;", ""]
        for port in self.ports:
            sizes = {size for function in port.functions for size in re.findall(r"uint8_t \w+\[(\d+)\]", str(port.c_function(function)))}
            if len(sizes) > 1:
                raise Failure(f"{port.path.name}: the parameters are arrays of {' and '.join(sorted(sizes))} bytes; use one size")
            out += ["template <>", f"struct CBinding<{port.target}> {{", f"  using Table = {port.table};",
                    f"  using Handle = kb_{port.id};", f"  static constexpr const char* kId = KB_PORT_{port.id.upper()};",
                    f"  static constexpr std::tuple kFunctions{{{', '.join(f'&Table::{name}' for name in port.names)}}};",
                    *(f"  static constexpr std::size_t kBytes = {size};" for size in sizes),
                    "  static const Table kCalls;", "};", ""]
        out += ["// Functions that are written by hand, in custom_calls.cpp."]
        for port in self.ports:
            for function in port.functions:
                if function.c_text:
                    result, inputs = port.c_function(function)
                    out.append(f"{result} {port.id}_{function.name}({', '.join(inputs)}) noexcept;")
        return cpp("#include <kbase/plugin.h>\n\n#include <tuple>\n\n" + self.includes, out + ["", "}  // namespace kbase::sdk"], True)

    def argument(self, field):
        """(Declaration of the port's parameter, its value made from the C parameters, setup and C arguments made from it)."""
        name, (form, _, rest) = field.name, field.kind.partition(" ")
        counted, value = ", ".join(names_of(parameters(field))), self.value(field) if rest in self.structs else ""
        lists, pair = "rows" if form == "list" or field.target == "values" else "pointers", [f"c_{name}.data()", f"c_{name}.size()"]
        if field.kind in KINDS:
            return f"{KINDS[field.kind].port} {name}", KINDS[field.kind].from_c.format(name), [], [f"to_c.value({name})"]
        if form == "slice":
            return "ports::Slice slice", "{offset, limit}", [], ["slice.offset", "slice.limit"]
        if form == "ids":
            return f"std::span<const std::string_view> {name}", f"from_c.texts({counted})", [f"const auto c_{name} = to_c.texts({name});"], pair
        if form == "ref":
            return f"const {value}& {name}", f"from_c.row<{value}>(*{name})", [], [f"&to_c.row<kb_{rest}>({name})"]
        if form == "enum":
            choices = f"sdk::k{camel(rest)}Choices"
            return f"{self.enums[rest][0]} {name}", f"from_c.choice({name}, {choices})", [], [f"to_c.value({name}, {choices})"]
        if form in ("array", "list"):
            shape = "pointers" if form == "array" else "rows"
            return (f"std::span<const {value}{'* const' * (lists == 'pointers')}> {name}", f"from_c.{lists}<{value}>({counted})",
                    [f"const auto c_{name} = to_c.{shape}<kb_{rest}>({name});"], pair)
        return (f"const std::array<std::uint8_t, {field.kind[3:-1]}>& {name}", f"FromC::array<{field.kind[3:-1]}>({name})", [], [f"to_c.value({name})"])

    def thunk(self, port, function):
        """A function of the table, which calls the port."""
        returned, inputs = port.c_function(function)
        head = f"{returned} {port.id}_{function.name}({', '.join(inputs)}) noexcept {{"
        name = function.target or function.name
        batch, handle = f"batch_of<{port.writer_target}>(writer)", f"port_of<{port.target}>({port.handle})."
        if function.result == "abort":
            return [head.replace("kb_call* call", "kb_call*"), f"  delete &{batch};", "}", ""]
        if function.result == "const bytes16":
            return [head, f"  const auto value = {handle}{name}();", "  std::copy(value.begin(), value.end(), out);", "}", ""]
        arguments = ["inner"] + [self.argument(field)[1] for field in function.fields]
        body, outs = [], names_of(port.result_parameters(function.result))
        if any("from_c." in each for each in arguments):
            body.append(f"    FromC& from_c = {batch}.from_c.clear();" if function.is_batch else "    FromC from_c;")
        for place, text in enumerate(arguments):
            if "from_c.choice" in text:
                arguments[place] = "choice"
                body += [f"    const auto choice = {text};", "    if (from_c.violation() != nullptr) return failed(call, from_c.violation());"]
        if outs[:2] == ["sink", "data"]:
            row, value = self.row(function.result)
            body.append(f"    RowsToC<{row}, {value}, kb_{function.result.split()[1]}_sink> rows(sink, data);")
            outs = outs[2:] + ["rows"]
            arguments += ["rows"] * (not function.result.startswith("optional"))
        call = f"{batch + '.writer->' if function.is_batch else handle}{name}({', '.join(arguments)})"
        body.append(f"    return to_status({', '.join(['call', call] + outs)});")
        first = "const kb_status status =" if function.name == "commit" else "return"
        last = [f"  if (status == KB_OK) delete &{batch};", "  return status;"] if function.name == "commit" else []
        return [head, f"  {first} guarded(call, [&](ports::Call& inner) -> kb_status {{", *body, "  });", *last, "}", ""]

    def tables_text(self):
        out = ["namespace kbase::sdk {", "namespace {", ""]
        out += [line for port in self.ports for function in port.functions if not function.c_text for line in self.thunk(port, function)]
        out += ["}  // namespace", ""]
        for port in self.ports:
            out += [f"constinit const {port.table} CBinding<{port.target}>::kCalls = {{", f"    .struct_size = sizeof({port.table}),",
                    *[f"    .{name} = 0," for name in ("inline_calls", "flags", "capabilities")], "    .config_schema = nullptr,",
                    "    .create = nullptr,", "    .destroy = destroy,", f"    .health = health<{port.target}>,",
                    *[f"    .{part.name} = {port.id}_{part.name}," for part in port.functions], "};", ""]
        return cpp('#include <algorithm>\n\n#include "plugins/sdk/entry.hpp"\n#include "plugins/sdk/generated/bindings.hpp"',
                   out + ["}  // namespace kbase::sdk"])

    def proxy_function(self, port, function):
        """A proxy's function."""
        kind, instance = (function.result.split() or [""])[0], "instance_." if function.is_batch else "instance_->"
        is_struct = kind in self.structs
        row, value = self.row(function.result) if kind in ("rows", "one", "found", "optional") else (None, None)
        text = re.search(r'"(.*)"', function.result)
        is_counted = kind == "rows" and function.result.endswith("up_to")
        results = {  # C++ type of the result, how it is received, how it is returned
            "": ("Status", "", "finish(status)"), "existing": ("Status", "", "finish_found(status, {})"),
            "rows": ("Status", "", "finish_rows(status)"), "one": ("Status", "", "finish_one(status, {})"),
            "bool": ("Result<bool>", "", "finish_found(status)"), "found": ("Result<bool>", "", "finish_one(status)"),
            "u64": ("Result<std::uint64_t>", "std::uint64_t out = 0;", "finish(status, out)"),
            "day": ("Result<std::optional<model::Day>>", "std::int32_t out = 0;", "finish_day(status, out)"),
            "optional": (f"Result<std::optional<{value}>>", "", "finish_copy(status, copy.value)"),
            "writer": (f"Result<std::unique_ptr<{port.writer_target}>>", f"kb_{port.writer}* out = nullptr;",
                       f"finish_writer<{camel(port.writer or '')}Proxy, {port.writer_target}>(status, *instance_, out)")}
        if is_struct:
            target = self.structs[kind].target
            results[kind] = (f"Result<{target}>", f"auto out = sdk::sized<kb_{kind}>();", f"finish_struct<{target}>(status, out)")
        result, received, returned = results[kind]
        if is_counted:
            result, received, returned = results["u64"][0], results["u64"][1], "finish_rows(status, out)"
        inputs = ["ports::Call& call"] + [self.argument(field)[0] for field in function.fields]
        inputs += [f"Visitor<{value}> visitor"] * bool(row and kind != "optional")
        setups, arguments = [], ["writer_" if function.is_batch else "handle_", "frame.call()"]
        for field in function.fields:
            _, _, setup, made = self.argument(field)
            setups, arguments = setups + setup, arguments + made
        if any("to_c." in each for each in setups + arguments):
            setups.insert(0, "sdk::ToC& to_c = to_c_.clear();" if function.is_batch else "sdk::ToC to_c;")
        if row:
            bounds = [{"ids": f"{field.name}.size()", "slice": "slice.limit"}.get(field.kind) or field.name for field in function.fields
                      if field.kind in ("ids", "slice") or field.name == "limit"] or ["kNoBound"]
            setups += [f"Copy<{value}> copy;"] * (kind == "optional")
            setups.append(f"RowSink<{row}, {value}> sink(frame, {'copy' if kind == 'optional' else 'visitor'}, "
                          f"{bounds[0] if kind == 'rows' else 1});")
            arguments += ["sink.receive", "&sink"]
        offers = port.offers(function).replace("instance_->", instance)
        body = [f'    if (!({offers})) return {instance}lacks("{port.id}.{function.name}");'] * function.is_optional
        body += [f'    CallFrame frame = {instance}frame("{port.id}.{function.name}", call);', *[f"    {each}" for each in setups + [received] * bool(received)],
                 f"    const kb_status status = frame.run(table_.{function.name}, {', '.join(arguments + ['&out'] * bool(received))});",
                 *["    if (status == KB_OK) writer_ = nullptr;"] * (function.name == "commit"),
                 f"    return frame.{returned.format(text[0] if text else '')};"]
        return [f"  {result} {function.target or function.name}({', '.join(inputs)}) override {{", *body, "  }"]

    def proxies_text(self):
        out = ["namespace kbase::plugin_host {", "", "template <class Port>", "struct ProxyOf;", ""]
        for port in self.ports:
            is_whole = not any(function.c_text for function in port.functions)
            owner, pointer = camel(port.id) + ("Proxy" if is_whole else "Calls"), f"std::unique_ptr<InstanceOf<{port.target}>>"
            constants = [function for function in port.functions if function.result == "const bytes16"]
            plain = [function for function in port.functions if not (function.c_text or function.is_batch or function in constants)]
            if port.writer:
                batch = camel(port.writer) + "Proxy"
                out += ["/// A batch; the destructor aborts it if it was not committed. The instance must outlive it.",
                        f"class {batch} final : public {port.writer_target} {{", " public:",
                        f"  {batch}(InstanceOf<{port.target}>& instance, kb_{port.writer}* writer)",
                        "      : instance_(instance), table_(instance.table()), writer_(writer) {}", f"  ~{batch}() override {{",
                        f'    if (writer_ != nullptr) instance_.abort("{port.id}.abort", table_.abort, writer_);', "  }", "",
                        *[line for function in port.functions if function.is_batch and function.result != "abort"
                          for line in self.proxy_function(port, function)],
                        "", " private:", f"  InstanceOf<{port.target}>& instance_;", f"  const {port.table}& table_;",
                        f"  kb_{port.writer}* writer_;  // null: the batch has ended", "  sdk::ToC to_c_;", "};", ""]
            out += [f"/// {port.target} over a plugin's table.{'' if is_whole else ' The other functions are written by hand.'}",
                    f"class {owner} {'final ' * is_whole}: public {port.target} {{", " public:", f"  explicit {owner}({pointer} instance)",
                    "      : instance_(std::move(instance)), table_(instance_->table()), handle_(instance_->object()) {",
                    *[f'    instance_->run("{port.id}.{each.name}", [&] {{ table_.{each.name}(handle_, constant_.data()); }});' for each in constants],
                    "  }", "", *port.capabilities(),
                    *[f"  model::StoreId {each.target}() const override {{ return constant_; }}" for each in constants],
                    *[line for function in plain for line in self.proxy_function(port, function)],
                    *["  Status health(ports::Call& call) override { return instance_->health(call); }"] * port.has_health,
                    "", " private:" if is_whole else " protected:", f"  const {pointer} instance_;", f"  const {port.table}& table_;",
                    f"  kb_{port.id}* const handle_;", *["  model::StoreId constant_{};  // read once"] * bool(constants), "};", ""]
            out += ["template <>", f"struct ProxyOf<{port.target}> {{", f"  using Type = {owner};", "};", ""] * is_whole
        return cpp('#include "app/plugin_host/instance.hpp"\n#include "app/plugin_host/row_sink.hpp"\n#include "plugins/sdk/generated/bindings.hpp"',
                   out + ["}  // namespace kbase::plugin_host"], True)

    def known_ports_text(self):
        """For each port the names of its functions and bits, and checks that the functions are where the host reads them."""
        out, rows = ["namespace kbase::plugin_host {", ""], []
        for port in self.ports:
            mandatory = port.functions[:1 + max(index for index, function in enumerate(port.functions) if not function.is_optional)]
            nullable = next((f'"{function.name}"' for function in mandatory if function.is_optional), "{}")
            lists = [f"k{camel(port.id)}Functions"]
            out += [f"inline constexpr std::array {lists[0]}{{" + ", ".join(f'"{name}"' for name in port.names) + "};",
                    f"static_assert(offsetof({port.table}, {port.names[-1]}) == offset_of({len(port.names) - 1}));"]
            for groups, name in ((("INLINE",), "Inline"), (("CAN", "HAS", "IS"), "Capabilities")):
                bits = [part for part in port.parts if isinstance(part, Constant) and part.group in groups]
                members = [f'NamedBit{{{part.name}, "{part.name.split("_" + part.group + "_")[1].lower()}"}}' for part in bits]
                lists.append(f"k{camel(port.id)}{name}" if bits else "{}")
                out += [f"inline constexpr std::array {lists[-1]}{{{', '.join(members)}}};"] * bool(bits)
            rows.append(f"    {{KB_PORT_{port.id.upper()}, {lists[0]}, {len(mandatory) + 3}, {nullable}, {lists[1]}, {lists[2]}}},")
        out += ["", f"inline constexpr std::array<KnownPort, {len(rows)}> kPorts{{{{", *rows, "}};", "", "}  // namespace kbase::plugin_host"]
        return cpp('#include <kbase/plugin.h>\n\n#include <array>\n#include <cstddef>\n\n#include "app/plugin_host/known_ports.hpp"', out, True)

    def rust_text(self, port):
        out = ["// SPDX-License-Identifier: Apache-2.0", f"//! `<kbase/{port.id}.h>` in Rust. Generated by ports/definitions/generate.py.",
               "#![allow(dead_code)]", "#![cfg_attr(rustfmt, rustfmt_skip)]", "", "use super::kbase::*;", "use std::ffi::c_void;", "use std::os::raw::c_char;", "",
               f'pub const PORT: &[u8] = b"kbase.{port.id}/{port.version}";']
        used = [each for each in self.ports if each.id in port.uses]
        for part in [part for each in used + [port] for part in each.parts if each is port or isinstance(part, Struct)]:
            if isinstance(part, Constant):
                number, kind = part.value.rstrip("u"), "u32" if part.value.endswith("u") else "i32"
                value, kind = {"UINT64_MAX": ("u64::MAX", "u64"), "INT64_MAX": ("i64::MAX", "i64")}.get(number, (number, kind))
                out.append(f"pub const {part.name.removeprefix('KB_')}: {kind} = {value};")
            elif isinstance(part, Struct):
                members = [(name, rust_type(text, port)) for text, name, *_ in laid_out(part)[0] if "(*" not in text]
                out += ["", "#[repr(C)]", f"pub struct {camel(part.name)} {{",
                        *[f"    pub {name}: {f'Option<{kind}>' if kind.endswith('Sink') else kind}," for name, kind in members], "}"]
            elif isinstance(part, Sink):
                inputs = ["void* data"] + [each for field in part.fields for each in parameters(field)]
                out += ["", f"pub type {camel(part.name)}Sink = {rust_function(part.returns, inputs, port)};"]
        generics = "<T, W>" if port.writer else "<T>"
        start = [re.fullmatch(r"  (.*?) ?\(\*(\w+)\)\((.*)\);", line) for line in TABLE_START.format(port.id, port.handle).splitlines()[5:]]
        functions = [(each[2], rust_function(each[1], each[3].split(", "), port)) for each in start]
        functions += [(part.name, f"Option<{made}>" if part.is_optional else made) for part in port.functions
                      for made in [rust_function(*port.c_function(part), port)]]
        out += ["", "/// For instances of type `T`, and batches of type `W`, which C sees only as pointers.", "#[repr(C)]",
                f"pub struct Table{generics} {{", *[f"    pub {name}: u32," for name in ("struct_size", "inline_calls", "flags", "capabilities")],
                "    pub config_schema: *const c_char,", *[f"    pub {name}: {kind}," for name, kind in functions], "}", "",
                "// Immutable data is safe to read from any thread, even if it contains raw pointers.",
                f"unsafe impl{generics} Sync for Table{generics} {{}}", ""]
        return "\n".join(out)


def rust_type(text, port):
    """The Rust type of a C declaration, without its name."""
    array = re.search(r"\[(\d+)\]$", text)
    words = re.sub(r"\[\d+\]$", "", text).replace("struct ", "").replace("*", " * ").split()
    words = words[:-1] if words[-1] != "*" else words
    handles = {f"kb_{port.id}": "T", f"kb_{port.writer}": "W"}
    plain = {"uint8_t": "u8", "uint32_t": "u32", "int32_t": "i32", "uint64_t": "u64", "int64_t": "i64", "double": "f64", "size_t": "usize",
             "void": "c_void", "char": "c_char", "kb_status": "Status", **handles}
    base = next(word for word in words if word not in ("const", "*"))
    made, is_const = plain.get(base) or camel(base.removeprefix("kb_")), words[0] == "const"
    for index, word in enumerate(words):
        if word == "*":
            made, is_const = ("*const " if is_const else "*mut ") + made, words[index + 1:index + 2] == ["const"]
    return made if not array else f"*const {made}" if words[0] == "const" else f"[{made}; {array[1]}]"


def rust_function(returned, inputs, port):
    result = "" if returned == "void" else f" -> {rust_type(returned + ' r', port)}"
    types = ["*mut u8" if each.endswith("out[16]") else rust_type(each, port) for each in inputs]
    return f'unsafe extern "C" fn({", ".join(types)}){result}'


def outputs(ports):
    """Path below the root -> text of every generated file."""
    library = Library(ports)
    pages = {f"docs/plugins/port-{port.id.replace('_', '-')}.md": port for port in ports}
    return {**{f"plugins/sdk/include/kbase/{port.id}.h": port.header_text() for port in ports},
            **{page: port.page_text((ROOT / page).read_text(encoding="utf-8")) for page, port in pages.items()},
            **{f"plugins/examples/rust_{name}/src/{port.id}.rs": library.rust_text(port) for port in ports
               for name in {"cache": ["cache"], "search_index": ["tantivy"]}.get(port.id, [])},
            "plugins/sdk/generated/fields.hpp": library.fields_text(), "plugins/sdk/generated/bindings.hpp": library.bindings_text(),
            "plugins/sdk/generated/tables.cpp": library.tables_text(), "app/plugin_host/generated/proxies.hpp": library.proxies_text(),
            "app/plugin_host/generated/known_ports.hpp": library.known_ports_text(), "tests/plugins/header/layout_ports.h": library.layout_text()}


def main(arguments):
    try:
        texts = outputs([Port(path) for path in sorted(HERE.glob("*.port"))])
    except Failure as failure:
        sys.exit(f"generate.py: {failure}")
    stale = [name for name, text in texts.items()
             if not (ROOT / name).exists() or (ROOT / name).read_text(encoding="utf-8") != text]
    if "--check" in arguments and stale:
        sys.exit("generate.py: stale, run ports/definitions/generate.py: " + ", ".join(stale))
    for name in [] if "--check" in arguments else stale:
        (ROOT / name).write_text(texts[name], encoding="utf-8")
        print("wrote", name)


if __name__ == "__main__":
    main(sys.argv[1:])
