// SPDX-License-Identifier: Apache-2.0
// The first view: below the search field, a look at what there is.

import { category_tree } from "../category_tree.js";
import { h, own } from "../dom.js";
import { ApiError } from "../errors.js";
import { format_route } from "../router.js";
import { T } from "../texts.js";

const kKept = 600_000;  // milliseconds that the list of categories is good enough here
const kMost = 18;
const kSpare = 4;       // requests that a visitor should have left for his search

/**
 * @param {import("../router.js").Route} _route
 * @param {import("../main.js").App} app
 * @returns {Promise<import("../navigation.js").Shown>}
 */
export async function home_view(_route, app) {
  const categories = await categories_to_show(app);
  const roots = category_tree(categories);
  // One that holds all the others says nothing; its parts do.
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
 * Nice to have, and so not worth an error or the last requests of a plan.
 * @param {import("../main.js").App} app
 */
async function categories_to_show(app) {
  if (app.categories.length === 0 && app.api.windows?.some(({ remaining }) => remaining < kSpare)) return [];
  try {
    return await app.learn_categories(kKept);
  } catch (error) {
    if (error instanceof ApiError && error.kind !== "cancelled") return [];
    throw error;
  }
}
