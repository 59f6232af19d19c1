// SPDX-License-Identifier: Apache-2.0
// Start page: an overview of the content.

import { category_tree } from "../category_tree.js";
import { h, own } from "../dom.js";
import { ApiError } from "../errors.js";
import { format_route } from "../router.js";
import { T } from "../texts.js";

const kKept = 600_000;  // milliseconds for which a cached list of categories is used here
const kMost = 18;
const kSpare = 4;       // requests to reserve for the visitor's own searches

/**
 * @param {import("../router.js").Route} _route
 * @param {import("../main.js").App} app
 * @returns {Promise<import("../navigation.js").Shown>}
 */
export async function home_view(_route, app) {
  const categories = await categories_to_show(app);
  const roots = category_tree(categories);
  // A single root category is not useful here; show its subcategories instead.
  const shown = roots.length === 1 && roots[0].children.length > 0 ? roots[0].children : roots;
  const tiles = shown.slice(0, kMost).map(({ category, total }) => h(
    "li", {}, h("a", { href: format_route({ view: "category", id: category.id }), class: "tile", "data-result": true },
                category.icon !== "" && h("span", { class: "sign", "aria-hidden": "true" }, category.icon),
                h("span", { class: "tile-name" }, own(category.name || category.id)),
                h("span", { class: "fine" }, T.items(total)))));
  return { title: "",
           node: h("div", { class: "home-view" },
                   h("h1", { class: "quiet" }, tiles.length > 0 ? T.home_title : T.home_empty),
                   tiles.length > 0 && h("ul", { class: "tiles" }, tiles)) };
}

/**
 * Returns the categories to show. They are optional: an error is ignored, and the last requests of a plan are not
 * used.
 * @param {import("../main.js").App} app
 */
async function categories_to_show(app) {
  if (app.categories.length === 0 && app.api.windows?.some(({ remaining }) => remaining < kSpare)) return [];
  try {
    return await app.load_categories(kKept);
  } catch (error) {
    if (error instanceof ApiError && error.kind !== "cancelled") return [];
    throw error;
  }
}
