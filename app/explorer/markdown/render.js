// SPDX-License-Identifier: Apache-2.0
// Renders Markdown as elements. The text is never parsed as markup: HTML in it is shown as text.

import { h } from "../dom.js";
import { T } from "../texts.js";
import { read_blocks } from "./blocks.js";
import { read_inline } from "./inline.js";
import { Targets } from "./links.js";
import { Outline, fragment_name, heading_id, keeps_lines } from "./outline.js";

const kMaxNesting = 32;
const kMaxPieces = 60000;  // text pieces; with more, browsers lay out the article slowly

/**
 * @typedef {object} Surroundings
 * @property {string} base address of the page
 * @property {{ id: string, category: string, title: string }} item the article: a first heading that repeats its title is
 *   omitted
 * @property {(id: string) => string} item_address returns the address of an item's page
 */

class Renderer {
  #item_address;
  #targets;
  #outline = new Outline();
  #references;
  #pieces_left = kMaxPieces;

  /** @param {Surroundings} around @param {import("./blocks.js").Document["references"]} references */
  constructor(around, references) {
    this.#item_address = around.item_address;
    this.#targets = new Targets(around.base, around.item);
    this.#references = references;
  }

  /** @param {import("./blocks.js").Block[]} blocks @param {boolean} tight @param {boolean} top */
  blocks(blocks, tight, top) {
    return blocks.map((block) => {
      const made = this.#block(block, tight);
      if (top && made instanceof HTMLElement && !made.hasAttribute("dir")) made.setAttribute("dir", "auto");
      return made;
    });
  }

  /** @returns {Node} */
  #block(block, tight) {
    const text = block.text ?? "";
    switch (block.type) {
      case "heading": return this.#heading(text, block.level ?? 1);
      case "code": return code(text, block.info ?? "");
      case "rule": return h("hr");
      case "quote": return h("blockquote", {}, this.blocks(block.children ?? [], false, false));
      case "list": return this.#list(block);
      case "table": return this.#table(block);
      case "plain": return h("p", { class: "as-written" }, text);
      default: return tight ? this.#inline(text) : h("p", {}, this.#inline(text));
    }
  }

  #heading(text, level) {
    const element = h(`h${this.#outline.level(level)}`, {}, this.#inline(text));
    element.id = heading_id(this.#outline.name(element.textContent ?? ""));
    return element;
  }

  #list({ ordered, start, items = [], tight = true }) {
    const numbered = ordered && start !== 1 ? start : undefined;
    return h(ordered ? "ol" : "ul", { start: numbered }, items.map(({ task, children }) => h(
      "li", { class: task === "" ? undefined : "task" },
      task !== "" && h("span", { class: "box", role: "img", "aria-label": task === "done" ? T.task_done : T.task_open },
                       task === "done" ? "☑" : "☐"),
      this.blocks(children, tight, false))));
  }

  #table({ head = [], align = [], rows = [] }) {
    const cell = (tag) => (text, column) =>
      h(tag, { class: align[column] ? `to-${align[column]}` : undefined, scope: tag === "th" ? "col" : undefined },
        this.#inline(text));
    return h("div", { class: "table" }, h(
      "table", {},
      h("thead", {}, h("tr", {}, head.map(cell("th")))),
      rows.length > 0 && h("tbody", {}, rows.map((row) => h("tr", {}, row.map(cell("td")))))));
  }

  /** @param {string} text @returns {Node} */
  #inline(text) {
    const out = document.createDocumentFragment();
    if (this.#pieces_left <= 0) {
      out.append(text);
      return out;
    }
    const pieces = read_inline(text, this.#references);
    this.#pieces_left -= pieces.length;
    if (pieces.length > kMaxPieces) {
      out.append(text);
      return out;
    }
    const open = [out];
    for (const piece of pieces) {
      const inner = open[open.length - 1];
      if (piece.type === "open") {
        const made = open.length > kMaxNesting ? null : this.#enclosing(piece, inner);
        if (made !== null) inner.append(made);
        open.push(made ?? inner);
      } else if (piece.type === "close") {
        const closed = open.pop();
        if (closed !== open[open.length - 1]) finish(closed);
      } else {
        inner.append(leaf(piece));
      }
    }
    return out;
  }

  /** @returns {Element | null} */
  #enclosing({ what, href = "", title }, inner) {
    if (what === "link") return this.#link(this.#targets.link(href), title);
    if (what === "image") return this.#image(href, title, inner instanceof Element && inner.closest("a") !== null);
    return h(what ?? "span");
  }

  /** @returns {Element | null} */
  #link(target, title = "") {
    if (target === null) return null;
    const says = title === "" ? undefined : title;
    const { kind, value, fragment = "" } = target;
    if (kind === "item") return h("a", { href: `${this.#item_address(value)}${to_heading(fragment)}`, title: says });
    if (kind === "fragment") return h("a", { href: to_heading(value), title: says });
    return h("a", { href: value, title: says, rel: "noopener noreferrer nofollow" });
  }

  /** @returns {Element | null} */
  #image(href, title = "", in_link = false) {
    const target = this.#targets.image(href);
    if (target?.kind === "image") return h("span", { class: "picture", "data-image": target.value });
    const link = in_link ? h("span") : this.#link(target, title);
    link?.classList.add("image-link");
    return link;
  }
}

/** @param {string} name as written @returns {string} fragment of the heading's address, "" for an empty name */
const to_heading = (name) => (name === "" ? "" : `#s-${fragment_name(name)}`);

/** Sets properties that depend on the whole content. @param {Element | DocumentFragment} element */
function finish(element) {
  if (!(element instanceof HTMLElement)) return;
  if (element.dataset.image !== undefined) {
    element.replaceWith(h("img", { src: element.dataset.image, alt: element.textContent ?? "" }));
  } else if (element.classList.contains("image-link") && element.textContent === "") {
    element.textContent = T.image;
  }
}

/** @param {import("./inline.js").Piece} piece @returns {Node | string} */
function leaf({ type, text = "" }) {
  if (type === "code") return h("code", { dir: "ltr" }, text);
  if (type === "break") return h("br");
  return type === "soft" ? "\n" : text;
}

/** @param {string} text @param {string} info */
function code(text, info) {
  const language = info.split(/\s/, 1)[0];
  return h("pre", { dir: "ltr", "data-language": language === "" ? undefined : language.slice(0, 30) }, h("code", {}, text));
}

/**
 * @param {string} text of an article
 * @param {Surroundings} around
 * @returns {HTMLElement}
 */
export function render_markdown(text, around) {
  const read = read_blocks(text);
  const [first] = read.blocks;
  if (first?.type === "heading" && first.text?.trim() === around.item.title.trim()) read.blocks.shift();
  const lines = keeps_lines(read);
  const renderer = new Renderer(around, read.references);
  return h("div", { class: lines ? "prose lines" : "prose", lang: "" }, renderer.blocks(read.blocks, false, true));
}
