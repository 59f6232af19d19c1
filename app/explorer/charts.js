// SPDX-License-Identifier: Apache-2.0
// Bar charts as SVG. The numbers are also shown as text or table, for visitors who cannot see the chart.

import { h, svg } from "./dom.js";
import { number, short_day } from "./format.js";
import { T } from "./texts.js";

const kWidth = 600;
const kHeight = 160;
const kGap = 3;

/** @param {[string, number][]} days oldest first */
export function day_bars(days) {
  const most = Math.max(1, ...days.map(([, count]) => count));
  const step = kWidth / Math.max(1, days.length);
  const bars = days.map(([day, count], at) => {
    const height = count === 0 ? 1 : Math.max(3, (count / most) * kHeight);
    return svg("rect", { class: count === 0 ? "bar none" : "bar", x: (at * step + kGap / 2).toFixed(2), y: (kHeight - height).toFixed(2),
                         width: (step - kGap).toFixed(2), height: height.toFixed(2), rx: 1.5 },
               svg("title", {}, `${short_day(day)}: ${number(count)}`));
  });
  return h("div", { class: "day-bars" },
           h("span", { class: "fine top-figure", "aria-hidden": "true" }, number(most)),
           svg("svg", { viewBox: `0 0 ${kWidth} ${kHeight}`, preserveAspectRatio: "none", role: "img", "aria-label": summary(days) }, bars),
           h("div", { class: "fine axis", "aria-hidden": "true" },
             h("span", {}, short_day(days[0]?.[0] ?? "")), h("span", {}, short_day(days.at(-1)?.[0] ?? ""))));
}

/** @param {[string, number][]} days */
export function summary(days) {
  const total = days.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return T.activity_none;
  const [day, count] = days.reduce((best, other) => (other[1] > best[1] ? other : best));
  return T.activity_summary(total, short_day(day), count);
}

/** @param {[string, number][]} rows @param {string} caption */
export function data_table(rows, caption) {
  return h("table", { class: "figures" }, h("caption", { class: "hidden" }, caption),
           h("thead", {}, h("tr", {}, h("th", { scope: "col" }, T.day), h("th", { scope: "col" }, T.views_column))),
           h("tbody", {}, rows.map(([day, count]) => h(
             "tr", {}, h("th", { scope: "row" }, h("time", { datetime: day }, short_day(day))), h("td", {}, number(count))))));
}

/** @param {{ name: string, value: number }[]} rows */
export function name_bars(rows) {
  const most = Math.max(1, ...rows.map(({ value }) => value));
  return h("ol", { class: "name-bars" }, rows.map(({ name, value }) => h(
    "li", {}, h("bdi", { class: "bar-name", lang: "" }, name), h("span", { class: "bar-value" }, number(value)),
    svg("svg", { viewBox: "0 0 100 2", preserveAspectRatio: "none", "aria-hidden": "true" },
        svg("rect", { class: "bar track", width: 100, height: 2 }),
        svg("rect", { class: "bar", width: ((value / most) * 100).toFixed(2), height: 2 })))));
}
