// SPDX-License-Identifier: Apache-2.0
// Statistics of the whole knowledge base.

import { day_bars, data_table, name_bars, summary } from "../charts.js";
import { h } from "../dom.js";
import { number } from "../format.js";
import { T } from "../texts.js";

/**
 * @param {import("../router.js").Route} _route
 * @param {import("../main.js").App} app
 * @param {number} [max_age]
 * @returns {Promise<import("../navigation.js").Shown>}
 */
export async function stats_view(_route, app, max_age) {
  const { body: { data } } = await app.api.get("/stats", {}, { channel: "view", max_age });
  const days = Object.entries(data.daily_activity).sort(([a], [b]) => (a < b ? -1 : 1));
  const stat = (value, label) => h(
    "div", { class: "figure" }, h("dt", {}, label), h("dd", {}, number(value)));
  return {
    title: T.stats, announce: T.stats,
    node: h("div", { class: "page" },
            h("h1", {}, T.stats),
            h("dl", { class: "figure-row" },
              stat(data.total_items, T.stats_items), stat(data.total_categories, T.stats_categories),
              stat(data.total_views, T.stats_views), stat(data.recent_additions, T.stats_new)),
            h("h2", {}, T.activity),
            h("p", { class: "fine" }, summary(days)),
            day_bars(days),
            h("details", {}, h("summary", {}, T.activity_show_table), data_table(days, T.activity)),
            data.popular_categories.length > 0 && [
              h("h2", {}, T.most_read_categories),
              name_bars(data.popular_categories.map(({ name, views }) => ({ name, value: views })))]) };
}
