// SPDX-License-Identifier: Apache-2.0
// Headings of an article within the page: below its title, without skipped levels, each with a unique link name.

export class Outline {
  #open = [];
  #names = new Map();  // names in use, each with the next number for the same text

  /**
   * Returns the level of a heading in the page. The page's title has level 1. An article that begins with level 3
   * or skips from 1 to 4 still gets an outline without gaps.
   * @param {number} level as written, 1 to 6
   * @returns {number} 2 to 6
   */
  level(level) {
    while (this.#open.length > 0 && this.#open[this.#open.length - 1] >= level) this.#open.pop();
    this.#open.push(level);
    return Math.min(6, this.#open.length + 1);
  }

  /** @param {string} text of a heading @returns {string} a name that no other heading of the article has */
  name(text) {
    const slug = fragment_name(text) || "section";
    let name = slug;
    let count = this.#names.get(slug) ?? 0;
    while (this.#names.has(name)) name = `${slug}-${++count}`;
    this.#names.set(slug, count).set(name, 0);
    return name;
  }
}

/** @param {string} name of a heading @returns {string} its id in the page, which no other element has */
export function heading_id(name) {
  return `s-${name}`;
}

/** @param {string} text @returns {string} heading name as on code-hosting services: lower case, words joined by
 * hyphens */
export function fragment_name(text) {
  return text.trim().toLowerCase().replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, "").replace(/\s/gu, "-").slice(0, 120);
}

/**
 * Whether a text without Markdown markup is structured by lines (a poem, an address, a list of values), so that its
 * line breaks must be kept. Text wrapped at a fixed width has lines of nearly that width and is reflowed.
 * @param {import("./blocks.js").Document} document
 */
export function keeps_lines({ blocks, references }) {
  if (references.size > 0 || blocks.length === 0) return false;
  if (blocks.some(({ type }) => type !== "paragraph" && type !== "code")) return false;
  if (blocks.some(({ info }) => info)) return false;
  let lines = 0;
  let wrapped = 0;
  for (const { type, text = "" } of blocks) {
    if (type !== "paragraph") continue;
    const inner = text.split("\n").slice(0, -1);
    lines += inner.length;
    wrapped += inner.filter((line) => line.length >= 55).length;
  }
  return lines > 0 && wrapped * 2 < lines;
}
