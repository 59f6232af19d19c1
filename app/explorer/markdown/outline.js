// SPDX-License-Identifier: Apache-2.0
// Headings of an article within the page: below its title, without leaps, each with a name that links can use.

export class Outline {
  #open = [];
  #names = new Map();  // that are taken, each with the number that the next of the same text goes on from

  /**
   * The level that a heading gets. The page has the title as its first level; an article that begins with a level 3
   * or leaps from 1 to 4 still makes an outline without holes.
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

/** @param {string} text @returns {string} as code hosts name headings: lower case, words joined by hyphens */
export function fragment_name(text) {
  return text.trim().toLowerCase().replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, "").replace(/\s/gu, "-").slice(0, 120);
}

/**
 * Whether a text without any mark of Markdown was written line by line (a poem, an address, a list of values), so
 * that its lines are to be kept. Text that was wrapped at some width has lines of nearly that width and flows.
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
