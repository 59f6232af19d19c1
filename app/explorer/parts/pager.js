// SPDX-License-Identifier: Apache-2.0
// Links between the pages of a list.

import { h } from "../dom.js";
import { T } from "../texts.js";

/** Number of results that pages can show if results with one title are one. */
const kDeepest = 2_000;

/**
 * @param {object} where
 * @param {number} where.total
 * @param {number} where.limit
 * @param {number} where.offset
 * @param {number | null} where.next_offset
 * @param {(offset: number) => string} address returns the address of the page that begins at `offset`
 */
export function pager({ total, limit, offset, next_offset }, address) {
  if (offset === 0 && next_offset === null && total <= limit) return null;
  // Where results with one title are one, there are fewer results than `total`: the end of the list is unknown before
  // the last page.
  const is_last = next_offset === null && offset + 2 * limit <= kDeepest;
  const page = Math.min(Math.max(0, Math.ceil(total / limit) - 1), Math.floor(offset / limit));
  const last = is_last ? page : Math.max(0, Math.ceil(total / limit) - 1);
  const before = Math.min(last * limit, Math.max(0, offset - limit));
  const cut = next_offset === null && !is_last && offset + limit < total;
  return [h("nav", { class: "pager", "aria-label": T.pages },
            offset > 0 ? h("a", { href: address(before), rel: "prev" }, T.previous) : h("span"),
            h("span", { class: "fine" }, T.page(page + 1, last + 1)),
            next_offset !== null ? h("a", { href: address(next_offset), rel: "next" }, T.next) : h("span")),
          cut && h("p", { class: "fine" }, T.window_end)];
}

/** Shown instead of a page without entries. @param {(offset: number) => string} address */
export function past_the_end(address) {
  return h("p", { class: "nothing" }, `${T.past_the_end} `, h("a", { href: address(0) }, T.first_page));
}
