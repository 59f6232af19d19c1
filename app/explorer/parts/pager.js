// SPDX-License-Identifier: Apache-2.0
// From page to page of a list.

import { h } from "../dom.js";
import { T } from "../texts.js";

/**
 * @param {object} where
 * @param {number} where.total
 * @param {number} where.limit
 * @param {number} where.offset
 * @param {number | null} where.next_offset
 * @param {(offset: number) => string} address of the page that begins there
 */
export function pager({ total, limit, offset, next_offset }, address) {
  if (offset === 0 && next_offset === null && total <= limit) return null;
  const page = Math.floor(offset / limit) + 1;
  const cut = next_offset === null && offset + limit < total;
  return [h("nav", { class: "pager", "aria-label": T.pages },
            offset > 0 ? h("a", { href: address(Math.max(0, offset - limit)), rel: "prev" }, T.previous) : h("span"),
            h("span", { class: "fine" }, T.page(page, Math.max(page, Math.ceil(total / limit)))),
            next_offset !== null ? h("a", { href: address(next_offset), rel: "next" }, T.next) : h("span")),
          cut && h("p", { class: "fine" }, T.window_end)];
}
