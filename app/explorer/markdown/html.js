// SPDX-License-Identifier: Apache-2.0
// Renders HTML as elements: only those that structure a text, without any of their attributes except the addresses of
// links. The parser of the browser reads the text into a document that runs no script and sends no request.

import { h } from "../dom.js";
import { Outline, heading_id } from "./outline.js";

const kKept = new Set(("a abbr b blockquote br caption cite code dd del details dfn dl dt em figcaption figure hr i ins kbd li mark ol p " +
  "pre q s samp small strong sub summary sup table tbody td tfoot th thead tr u ul var").split(" "));
const kOmitted = new Set(("audio canvas embed form iframe math noscript object picture script select style svg template " +
  "textarea title video").split(" "));
const kMaxDepth = 64;

/** @param {Node} node @param {Outline} outline @param {number} depth @returns {import("../dom.js").Child[]} */
function children_of(node, outline, depth) {
  return depth > kMaxDepth ? [node.textContent] : [...node.childNodes].flatMap((child) => rendered(child, outline, depth + 1));
}

/** @returns {import("../dom.js").Child[]} */
function rendered(node, outline, depth) {
  if (node.nodeType === Node.TEXT_NODE) return [node.data];
  if (!(node instanceof Element)) return [];
  const name = node.localName;
  if (kOmitted.has(name)) return [];
  if (/^h[1-6]$/.test(name)) {
    const heading = h(`h${outline.level(Number(name[1]))}`, {}, children_of(node, outline, depth));
    const generated = outline.name(heading.textContent ?? "");
    heading.id = heading_id(node.id || generated);
    return [heading];
  }
  const children = children_of(node, outline, depth);
  if (!kKept.has(name)) return children;
  return [h(name, name === "a" ? { href: address(node.getAttribute("href") ?? "") } : {}, children)];
}

/** @param {string} href @returns {string | undefined} undefined: the link has no address that this page can open */
function address(href) {
  if (href.startsWith("#")) return `#${heading_id(href.slice(1))}`;
  return /^(https?:|mailto:)/i.test(href.trim()) ? href.trim() : undefined;
}

/** @param {string} text @returns {Node} */
export function render_html(text) {
  const { body } = new DOMParser().parseFromString(text, "text/html");
  return h("div", { class: "prose", lang: "", dir: "auto" }, children_of(body.querySelector("main, article") ?? body, new Outline(), 0));
}
