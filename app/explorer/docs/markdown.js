// SPDX-License-Identifier: Apache-2.0
// The subset of Markdown that the description uses: paragraphs, lists, headings, code, strong text and links.
import { h } from "../dom.js";

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\((https?:[^)\s]+|#[^)\s]+)\)/g;

/** Returns the nodes of a text without blocks. */
export function inline(text = "") {
  const nodes = [];
  let from = 0;
  for (const match of text.matchAll(INLINE)) {
    nodes.push(text.slice(from, match.index));
    if (match[1]) nodes.push(h("code", {}, match[1]));
    else if (match[2]) nodes.push(h("strong", {}, match[2]));
    else nodes.push(h("a", { href: match[4] }, match[3]));
    from = match.index + match[0].length;
  }
  nodes.push(text.slice(from));
  return nodes.filter((node) => node !== "");
}

function block(text) {
  const heading = /^(#+) (.*)$/.exec(text);
  if (heading) return h(`h${Math.min(heading[1].length, 6)}`, {}, inline(heading[2]));
  const lines = text.split("\n");
  if (!lines.every((line) => line.startsWith("- "))) return h("p", {}, inline(lines.join(" ")));
  return h("ul", {}, lines.map((line) => h("li", {}, inline(line.slice(2)))));
}

/** Returns the blocks of a text, which are separated by blank lines. */
export function markdown(text = "") {
  return text.trim().split(/\n{2,}/).map(block);
}
