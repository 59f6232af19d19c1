// SPDX-License-Identifier: Apache-2.0
// The tree of categories, and the page of one category.

import { h, own } from "../dom.js";
import { category_tree, parents_of } from "../category_tree.js";
import { pager, past_the_end } from "../parts/pager.js";
import { category_link, summary_list } from "../parts/result_list.js";
import { format_route } from "../router.js";
import { T } from "../texts.js";

const kPage = 20;
const kKept = 300_000;  // milliseconds for which a cached list of categories is used for names

/** @typedef {import("../category_tree.js").Branch} Branch @typedef {import("../category_tree.js").Category} Category */

/** @param {Branch} branch */
function category_line({ category, children, total }) {
  const own_count = category.item_count ?? 0;
  return h("li", {},
           h("div", { class: "category-line" },
             category.icon !== "" && h("span", { class: "sign", "aria-hidden": "true" }, category.icon),
             h("a", { href: format_route({ view: "category", id: category.id }), "data-result": true }, own(category.name || category.id)),
             h("span", { class: "count" }, T.items(own_count), total > own_count && `, ${T.items_in_all(total)}`)),
           category.description !== "" && h("p", { class: "fine" }, own(category.description)),
           children.length > 0 && h("ul", {}, children.map(category_line)));
}

/**
 * @param {import("../router.js").Route} _route
 * @param {import("../main.js").App} app
 * @returns {Promise<import("../navigation.js").Shown>}
 */
export async function categories_view(_route, app) {
  const categories = await app.load_categories(kKept);
  const tree = h("ul", { class: "category-tree" }, category_tree(categories).map(category_line));
  const more = h("button", { type: "button", "data-keep": "more", onclick: () => {
    ++app.category_pages;
    void app.navigation.again();
  } }, T.more_categories);
  return { title: T.categories, announce: T.categories,
           node: h("div", { class: "page" }, h("h1", {}, T.categories),
                   categories.length === 0 ? h("p", {}, T.no_categories) : tree,
                   app.more_categories && h("p", {}, more)) };
}

/**
 * @param {import("../router.js").Route} route
 * @param {import("../main.js").App} app
 * @param {number} [max_age]
 * @returns {Promise<import("../navigation.js").Shown>}
 */
export async function category_view(route, app, max_age) {
  const { id = "", offset = 0 } = route;
  const { body: { data } } = await app.api.get(`/category/${encodeURIComponent(id)}`,
    { include_items: "true", limit: kPage, offset: offset || "" }, { channel: "view", max_age });
  app.known.add_categories([data]);
  app.known.add_items(data.items);
  const name = data.name || data.id;
  const total = data.item_count;
  const where = { total, limit: kPage, offset, next_offset: offset + kPage < total ? offset + kPage : null };
  const address = (offset) => format_route({ ...route, offset });
  return {
    title: name, announce: `${name}. ${T.items(total)}`,
    node: h("div", { class: "page" },
            h("p", { class: "fine above" }, h("a", { href: format_route({ view: "categories" }) }, T.categories),
              parents_of(app.categories, id).slice(0, 3).map((parent) => [" › ", category_link(parent.id, app)]).flat()),
            h("h1", { dir: "auto", lang: "" }, data.icon !== "" && h("span", { class: "sign", "aria-hidden": "true" }, `${data.icon} `), name),
            data.description !== "" && h("p", { class: "lead", dir: "auto", lang: "" }, data.description),
            data.subcategories.length > 0 && [h("h2", { class: "small" }, T.subcategories), h(
              "ul", { class: "tags" }, data.subcategories.map((part) => h("li", {}, category_link(part, app))))],
            data.items.length === 0 && total > 0 ? past_the_end(address)
              : h("p", { class: "count" }, total > 0 ? T.range(offset + 1, offset + data.items.length, total) : T.no_items),
            summary_list(data.items, app, { category: false }),
            pager(where, address)) };
}
