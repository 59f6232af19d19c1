// SPDX-License-Identifier: Apache-2.0
// Allowed targets of an article's links, and the syntax of their addresses.

import { unescape_text } from "./entities.js";

// Maximum length of address and title. Bounds the time that an unfinished link costs.
const kMaxAddress = 2048;
const kMaxTitle = 1024;
export const kMaxLabel = 999;
const kMaxImageBytes = 1 << 23;  // of all images of an article: one image can be referenced any number of times

const kPathFromSource = /^(?![A-Za-z][A-Za-z0-9+.-]*:|\/)/;
const kDataImage = /^data:image\/(?:png|jpeg|gif|webp|avif);base64,[A-Za-z0-9+/=]+/y;

/**
 * @param {string} text @param {number} at after the opening bracket
 * @returns {{ href: string, end: number } | null}
 */
function destination(text, at) {
  kDataImage.lastIndex = at;
  const data = text.startsWith("data:", at) ? kDataImage.exec(text) : null;
  if (data !== null) return { href: data[0], end: at + data[0].length };
  const stop = Math.min(text.length, at + kMaxAddress);
  if (text[at] === "<") {
    for (let i = at + 1; i < stop; ++i) {
      if (text[i] === "\\") ++i;
      else if (text[i] === "\n" || text[i] === "<") return null;
      else if (text[i] === ">") return { href: unescape_text(text.slice(at + 1, i)), end: i + 1 };
    }
    return null;
  }
  let depth = 0;
  let i = at;
  for (; i < stop; ++i) {
    const c = text.charCodeAt(i);
    if (c <= 32 || c === 127) break;
    if (c === 92) ++i;
    else if (c === 40) ++depth;
    else if (c === 41 && --depth < 0) break;
  }
  return depth > 0 ? null : { href: unescape_text(text.slice(at, i)), end: i };
}

/** @param {string} text @param {number} at @returns {number} position after white space */
function behind_space(text, at) {
  while (text[at] === " " || text[at] === "\n" || text[at] === "\t") ++at;
  return at;
}

/** @param {string} text @param {number} at @returns {{ title: string, end: number } | null} */
function title(text, at) {
  const close = { '"': '"', "'": "'", "(": ")" }[text[at]];
  if (close === undefined) return null;
  const stop = Math.min(text.length, at + kMaxTitle);
  for (let i = at + 1; i < stop; ++i) {
    if (text[i] === "\\") ++i;
    else if (text[i] === close) return { title: unescape_text(text.slice(at + 1, i)), end: i + 1 };
  }
  return null;
}

/**
 * Parses the parenthesized part of a link.
 * @param {string} text @param {number} at position of the `(`
 * @returns {{ href: string, title: string, end: number } | null}
 */
export function link_target(text, at) {
  const begin = behind_space(text, at + 1);
  const found = destination(text, begin);
  if (found === null) return null;
  const space = behind_space(text, found.end);
  const title_part = space > found.end ? title(text, space) : null;
  const end = behind_space(text, title_part?.end ?? found.end);
  return text[end] === ")" ? { href: found.href, title: title_part?.title ?? "", end: end + 1 } : null;
}

/** @param {string} label @returns {string} normalized for comparison */
export function normal_label(label) {
  return label.trim().replace(/[ \t\n]+/g, " ").toLowerCase();
}

const kDefinition = /^ {0,3}\[((?:[^[\]\\]|\\.){1,999})\]:[ \t]*(?=\S)/;

/**
 * Parses a line such as `[label]: address "title"`.
 * @param {string} line
 * @returns {{ label: string, href: string, title: string } | null}
 */
export function definition(line) {
  const match = line.includes("]:") ? kDefinition.exec(line) : null;
  if (match === null || match[1].trim() === "") return null;
  const found = destination(line, match[0].length);
  if (found === null || found.end === match[0].length) return null;
  const rest = behind_space(line, found.end);
  const title_part = rest > found.end ? title(line, rest) : null;
  if (line.slice(title_part?.end ?? found.end).trim() !== "") return null;
  return { label: normal_label(match[1]), href: found.href, title: title_part?.title ?? "" };
}

const kStartPages = ["index", "_index", "README"];

/**
 * @typedef {object} Target
 * @property {"web" | "item" | "fragment" | "image"} kind
 * @property {string} value an address, the id of an item, or the name of a heading
 * @property {string} [fragment] the name of a heading of the item
 */

/** Resolves the links and images of one article. Each address is resolved once, however often it occurs. */
export class Targets {
  #base;
  #folder;
  #links = new Map();
  #image_bytes_left = kMaxImageBytes;

  /**
   * @param {string} base address of this page
   * @param {{ id: string, category: string }} item the article. The id is the path of its page, or of its folder if the
   *   page is the start page of the folder, which is then its category.
   */
  constructor(base, { id, category }) {
    this.#base = base;
    const folders = id === category ? id.split("/") : id.split("/").slice(0, -1);
    this.#folder = new URL(folders.map((folder) => `${encodeURIComponent(folder)}/`).join(""), new URL("/", base));
  }

  /**
   * Pages of an imported folder link to each other by their files.
   * @param {string} href as written
   * @returns {Target | null} null: no link, only its text is shown
   */
  link(href) {
    if (!this.#links.has(href)) this.#links.set(href, this.#link(href));
    return this.#links.get(href);
  }

  /**
   * An image is shown only if it needs no request: the page sends requests to no other host. Files next to the
   * article's source are not available, because pages are imported without their images.
   * @param {string} href @returns {Target | null} null: no image, only its text is shown
   */
  image(href) {
    if (!href.startsWith("data:")) return kPathFromSource.test(href) ? null : this.link(href);
    this.#image_bytes_left -= href.length;
    kDataImage.lastIndex = 0;
    const is_whole = this.#image_bytes_left >= 0 && kDataImage.exec(href)?.[0].length === href.length;
    return is_whole ? { kind: "image", value: href } : null;
  }

  /** @returns {Target | null} */
  #link(href) {
    if (href.startsWith("#")) return { kind: "fragment", value: decoded(href.slice(1)) };
    let url;
    try {
      url = new URL(href, this.#base);
    } catch {
      return null;
    }
    if (!["http:", "https:", "mailto:"].includes(url.protocol)) return null;
    const [path] = href.split(/[?#]/, 1);
    const file = path.slice(path.lastIndexOf("/") + 1);
    const ending = [".md", ".markdown"].find((each) => file.endsWith(each));
    if (ending === undefined || file === ending || path.includes(":") || path.startsWith("//")) {
      return { kind: "web", value: url.href };
    }
    const value = this.#item_of(path, ending);
    return { kind: "item", value, fragment: decoded(url.hash.slice(1)) };
  }

  /** @returns {string} the id that the import gives a file: its path, or that of its folder if it is the start page */
  #item_of(path, ending) {
    const names = new URL(path, this.#folder).pathname.slice(1, -ending.length).split("/").map(decoded);
    if (kStartPages.includes(names[names.length - 1]) && names.length > 1) names.pop();
    return names.join("/");
  }
}

/** @param {string} text percent-encoded or plain */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
