// SPDX-License-Identifier: Apache-2.0
// Block parser for Markdown (CommonMark 0.31, GFM tables and task items; HTML stays text).
//
// Time is bounded for every input: each nesting level reads its lines once, and quotes and lists deeper than
// kMaxDepth are text. After kMaxBlocks blocks, the rest is one plain block, so that a browser can display it.

import { alignments, behind_marker, behind_quote, cells, closes_fence, expand_indentation, fence, heading, indentation,
         is_blank, is_quote, is_rule, marker, underline_level } from "./lines.js";
import { definition } from "./links.js";

const kMaxDepth = 24;
const kMaxBlocks = 10000;  // list items and table rows count too
const kMaxColumns = 64;

/**
 * @typedef {object} Block
 * @property {"heading" | "paragraph" | "code" | "quote" | "list" | "table" | "rule" | "plain"} type
 * @property {string} [text] of a heading or paragraph, with its inline markup; of code, unchanged
 * @property {number} [level] of a heading
 * @property {string} [info] of a code fence
 * @property {Block[]} [children] of a quote
 * @property {boolean} [ordered]
 * @property {number} [start]
 * @property {boolean} [tight] the items contain no paragraphs
 * @property {{ task: "" | "open" | "done", children: Block[] }[]} [items]
 * @property {import("./lines.js").Alignment[]} [align]
 * @property {string[]} [head]
 * @property {string[][]} [rows]
 *
 * @typedef {object} Document
 * @property {Block[]} blocks
 * @property {Map<string, { href: string, title: string }>} references
 */

class Reader {
  references = new Map();
  #blocks_left = kMaxBlocks;

  /** @param {string[]} lines with expanded indentation @param {number} depth @returns {Block[]} */
  read(lines, depth) {
    const out = [];
    for (let at = 0; at < lines.length;) {
      if (is_blank(lines[at])) {
        ++at;
      } else if (--this.#blocks_left < 0) {
        out.push({ type: "plain", text: lines.slice(at).join("\n") });
        break;
      } else {
        at = this.#block(lines, at, depth, out);
      }
    }
    return out;
  }

  /** @returns {number} the first line after the block */
  #block(lines, at, depth, out) {
    const line = lines[at];
    if (indentation(line) >= 4) return indented_code(lines, at, out);
    const opened = fence(line);
    if (opened !== null) return fenced_code(lines, at, opened, out);
    const title = heading(line);
    if (title !== null) {
      out.push({ type: "heading", ...title });
      return at + 1;
    }
    if (is_rule(line)) {
      out.push({ type: "rule" });
      return at + 1;
    }
    if (depth < kMaxDepth) {
      if (is_quote(line)) return this.#quote(lines, at, depth, out);
      if (marker(line) !== null) return this.#list(lines, at, depth, out);
    }
    if (line.includes("|") && at + 1 < lines.length) {
      const align = alignments(lines[at + 1]);
      const head = align === null ? [] : cells(line);
      if (align !== null && head.length === align.length && head.length <= kMaxColumns) {
        return this.#table(lines, at, head, align, out);
      }
    }
    return this.#paragraph(lines, at, out);
  }

  /** @returns {number} */
  #quote(lines, at, depth, out) {
    const quoted = [];
    const open = new OpenText();
    for (; at < lines.length; ++at) {
      if (is_quote(lines[at])) quoted.push(open.see(behind_quote(lines[at])));
      else if (open.goes_on_with(lines[at])) quoted.push(lines[at]);
      else break;
    }
    out.push({ type: "quote", children: this.read(quoted, depth + 1) });
    return at;
  }

  /** @returns {number} */
  #list(lines, at, depth, out) {
    const first = marker(lines[at]);
    const list = { type: "list", ordered: first.ordered, start: first.start, tight: true, items: [] };
    while (at < lines.length && --this.#blocks_left > 0) {
      const item = indentation(lines[at]) < 4 && !is_rule(lines[at]) ? marker(lines[at]) : null;
      if (item === null || item.kind !== first.kind) break;
      const { inner, end, gap } = item_lines(lines, at, item);
      list.items?.push(this.#item(inner, depth));
      if (gap.within || (gap.after && next_is_item(lines, end, first.kind))) list.tight = false;
      at = end;
    }
    out.push(list);
    return at;
  }

  /** @returns {{ task: "" | "open" | "done", children: Block[] }} */
  #item(inner, depth) {
    const box = /^\[([ xX])\][ \t]/.exec(inner[0]);
    if (box === null) return { task: "", children: this.read(inner, depth + 1) };
    inner[0] = inner[0].slice(box[0].length);
    return { task: box[1] === " " ? "open" : "done", children: this.read(inner, depth + 1) };
  }

  /** @returns {number} */
  #table(lines, at, head, align, out) {
    const rows = [];
    for (at += 2; at < lines.length && !interrupts(lines[at]) && --this.#blocks_left > 0; ++at) {
      if (indentation(lines[at]) >= 4) break;
      rows.push(cells(lines[at]).slice(0, head.length));
    }
    out.push({ type: "table", head, align, rows });
    return at;
  }

  /** @returns {number} */
  #paragraph(lines, at, out) {
    const defined = definition(lines[at]);
    if (defined !== null) {
      if (!this.references.has(defined.label)) this.references.set(defined.label, defined);
      return at + 1;
    }
    const text = [];
    for (; at < lines.length; ++at) {
      const line = lines[at];
      if (text.length > 0) {
        const level = indentation(line) < 4 ? underline_level(line) : 0;
        if (level > 0) {
          out.push({ type: "heading", level, text: text.join("\n").trimEnd() });
          return at + 1;
        }
        if (interrupts(line)) break;
      }
      text.push(line.slice(indentation(line)));
    }
    out.push({ type: "paragraph", text: text.join("\n").trimEnd() });
    return at;
  }
}

/** Whether a line ends the paragraph before it. @param {string} line */
function interrupts(line) {
  if (is_blank(line)) return true;
  if (indentation(line) >= 4) return false;
  if (is_quote(line) || is_rule(line) || heading(line) !== null || fence(line) !== null) return true;
  const item = marker(line);
  return item !== null && !item.empty && (!item.ordered || item.start === 1);
}

/** Tracks whether the text of a quote is an open paragraph, which the next line may continue without a `>`. */
class OpenText {
  #fence = null;
  #paragraph = false;

  /** @param {string} line quoted */
  see(line) {
    if (this.#fence !== null) {
      if (closes_fence(line, this.#fence)) this.#fence = null;
      this.#paragraph = false;
    } else {
      this.#fence = fence(line);
      this.#paragraph = this.#fence === null && !is_blank(line) && !is_rule(line) && heading(line) === null;
    }
    return line;
  }

  /** @param {string} line without a `>` */
  goes_on_with(line) {
    return this.#paragraph && !interrupts(line);
  }
}

/** Returns the lines of one list item without their indentation, and whether empty lines separate them. */
function item_lines(lines, at, item) {
  const inner = [behind_marker(lines[at], item)];
  let end = at + 1;
  let empty = 0;
  let within = false;
  let open = fence(inner[0]);
  for (let next = end; next < lines.length; ++next) {
    const line = lines[next];
    if (is_blank(line)) {
      if (item.empty && next === at + 1) break;
      ++empty;
      continue;
    }
    const belongs = indentation(line) >= item.width;
    if (!belongs && (empty > 0 || open !== null || interrupts(line) || marker(line) !== null)) break;
    for (; empty > 0; --empty) {
      inner.push("");
      within ||= open === null && indentation(line) < item.width + 2;
    }
    const text = belongs ? line.slice(item.width) : line.slice(indentation(line));
    inner.push(text);
    end = next + 1;
    if (open === null) open = fence(text);
    else if (closes_fence(text, open)) open = null;
  }
  return { inner, end: end + empty_lines(lines, end), gap: { within, after: end < lines.length && is_blank(lines[end]) } };
}

/** @returns {number} number of empty lines from `at` on */
function empty_lines(lines, at) {
  let count = 0;
  while (at + count < lines.length && is_blank(lines[at + count])) ++count;
  return count;
}

function next_is_item(lines, at, kind) {
  return at < lines.length && indentation(lines[at]) < 4 && marker(lines[at])?.kind === kind;
}

/** @returns {number} */
function indented_code(lines, at, out) {
  const code = [];
  let end = 0;
  for (; at < lines.length && (is_blank(lines[at]) || indentation(lines[at]) >= 4); ++at) {
    code.push(lines[at].slice(4));
    if (!is_blank(lines[at])) end = code.length;
  }
  out.push({ type: "code", info: "", text: code.slice(0, end).join("\n") });
  return at;
}

/** @returns {number} */
function fenced_code(lines, at, opened, out) {
  const code = [];
  for (++at; at < lines.length && !closes_fence(lines[at], opened); ++at) {
    code.push(lines[at].slice(Math.min(opened.indent, indentation(lines[at]))));
  }
  out.push({ type: "code", info: opened.info, text: code.join("\n") });
  return at + 1;
}

/** @param {string} text @returns {Document} */
export function read_blocks(text) {
  const reader = new Reader();
  const lines = text.replaceAll("\0", "\ufffd").split(/\r\n|\n|\r/);
  const blocks = reader.read(lines.map(expand_indentation), 0);
  return { blocks, references: reader.references };
}
