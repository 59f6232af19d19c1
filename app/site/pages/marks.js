// SPDX-License-Identifier: Apache-2.0
// Marks the words of the search by which an article was found. They are kept in this tab alone.

const kKey = "kbase-words";
const kMaxMarks = 200;

/** Keeps the words of a page of results when one of its hits is opened. @param {string} address */
export function remember_words(address) {
  const to = new URL(address, location.href);
  if (!to.pathname.startsWith("/item/")) return sessionStorage.removeItem(kKey);
  const q = location.pathname === "/search" ? new URLSearchParams(location.search).get("q") : null;
  if (q === null) sessionStorage.removeItem(kKey);
  else sessionStorage.setItem(kKey, q);
}

/** @param {string} q @returns {RegExp | null} */
export function pattern_of(q) {
  const words = (q.match(/[\p{L}\p{N}_]{2,}/gu) ?? []).slice(0, 16);
  if (words.length === 0) return null;
  // A word stands for its forms too: what begins with all but its last letters.
  const beginnings = words.map((word) => word.slice(0, Math.max(3, word.length - 2)));
  return new RegExp(`(?<![\\p{L}\\p{N}_])(?:${beginnings.join("|")})[\\p{L}\\p{N}_]*`, "giu");
}

/** @param {Document} page */
export function mark_words(page) {
  const text = page.querySelector(".text");
  const q = sessionStorage.getItem(kKey);
  if (!("highlights" in CSS)) return;
  CSS.highlights.delete("words");
  const pattern = q === null ? null : pattern_of(q);
  if (text === null || pattern === null || !location.pathname.startsWith("/item/")) return;
  const ranges = [];
  const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null && ranges.length < kMaxMarks; node = walker.nextNode()) {
    for (const found of (node.nodeValue ?? "").matchAll(pattern)) {
      const range = new Range();
      range.setStart(node, found.index);
      range.setEnd(node, found.index + found[0].length);
      ranges.push(range);
    }
  }
  CSS.highlights.set("words", new Highlight(...ranges));
}
