// SPDX-License-Identifier: Apache-2.0
// Popular and recent articles.

import { h } from "../dom.js";
import { choices } from "../parts/filters.js";
import { summary_list } from "../parts/result_list.js";
import { T } from "../texts.js";

const kMost = 20;

/**
 * @param {import("../router.js").Route} route
 * @param {import("../main.js").App} app
 * @param {number} [max_age]
 * @returns {Promise<import("../navigation.js").Shown>}
 */
export async function popular_view(route, app, max_age) {
  const { body: { data } } = await app.api.get("/popular", { limit: kMost, period: route.period }, { channel: "view", max_age });
  // The views of all time equal the article's views, which its entry already shows.
  const items = route.period === "all" ? data.map(({ period_views, ...item }) => item) : data;
  return list_page(T.popular_title, items, app, h("div", { class: "choices" }, choices(T.period, "period", T.periods, route)));
}

/**
 * @param {import("../router.js").Route} _route
 * @param {import("../main.js").App} app
 * @param {number} [max_age]
 * @returns {Promise<import("../navigation.js").Shown>}
 */
export async function recent_view(_route, app, max_age) {
  const { body: { data } } = await app.api.get("/recent", { limit: kMost }, { channel: "view", max_age });
  return list_page(T.recent_title, data, app, null);
}

/** @returns {import("../navigation.js").Shown} */
function list_page(title, items, app, choice) {
  app.known.add_items(items);
  return { title, announce: `${title}. ${T.items(items.length)}`,
           node: h("div", { class: "page" }, h("h1", {}, title), choice,
                   items.length === 0 ? h("p", {}, T.no_items) : summary_list(items, app)) };
}
