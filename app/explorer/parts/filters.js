// SPDX-License-Identifier: Apache-2.0
// Search filters: category, tag, language, version, days. Each choice has its own address.

import { h, icon, own } from "../dom.js";
import { day, number } from "../format.js";
import { format_route } from "../router.js";
import { category_name } from "./result_list.js";
import { T } from "../texts.js";

const kMostTags = 20;
const kMostCategories = 20;

/** Wide enough for a column next to the results; otherwise the filters are collapsed. */
export const kWide = matchMedia("(min-width: 60rem)");

/** @typedef {import("../router.js").Route} Route @typedef {{ value: string, count?: number }} Facet */

/** @param {Route} route @param {Partial<Route>} change */
const changed = (route, change) => format_route({ ...route, ...change, offset: 0 });

/**
 * @param {string} title
 * @param {"category" | "tag"} name
 * @param {Facet[]} facets
 * @param {Route} route
 * @param {(value: string) => Node} shown
 */
function facet_list(title, name, facets, route, shown) {
  if (facets.length === 0) return null;
  return [h("h3", {}, title), h("ul", { class: "facets" }, facets.map(({ value, count }) => {
    const on = route[name] === value;
    return h("li", {}, h("a", { href: changed(route, { [name]: on ? "" : value }), "aria-current": on ? "true" : undefined,
                                "data-keep": `${name}:${value}` },
                         shown(value), count !== undefined && h("span", { class: "count" }, number(count))));
  }))];
}

/** @param {Route} route @param {import("../main.js").App} app */
function date_form(route, app) {
  const field = (name) => {
    const input = h("input", { type: "date", id: name, min: "1000-01-01", max: "9999-12-31", "aria-describedby": "date-error" });
    input.value = route[name];
    return input;
  };
  const from = field("updated_from");
  const to = field("updated_to");
  const error = h("p", { id: "date-error", class: "wrong", role: "status" });
  const apply = (event) => {
    event.preventDefault();
    if (from.value !== "" && to.value !== "" && from.value > to.value) {
      error.textContent = T.date_wrong;
      return;
    }
    void app.navigation.go({ ...route, updated_from: from.value, updated_to: to.value, offset: 0 }, { keep_focus: true });
  };
  return h("form", { novalidate: true, onsubmit: apply },
           h("div", {}, h("label", { for: "updated_from" }, T.date_from), from),
           h("div", {}, h("label", { for: "updated_to" }, T.date_to), to),
           error, h("button", { type: "submit", "data-keep": "dates" }, T.date_apply));
}

/**
 * Date filter, collapsed by default: date fields are slow to create, and most searches do not need them.
 * @param {Route} route @param {import("../main.js").App} app
 */
function date_filter(route, app) {
  const details = h("details", { class: "dates" }, h("summary", { "data-keep": "dates" }, T.filter_date));
  details.open = Boolean(route.updated_from || route.updated_to);
  if (details.open) details.append(date_form(route, app));
  else details.addEventListener("toggle", () => details.append(date_form(route, app)), { once: true });
  return details;
}

/** @param {Route} route @returns {number} */
function count_active(route) {
  return [route.category, route.tag, route.language, route.version, route.updated_from || route.updated_to].filter(Boolean).length;
}

/** For search plugins without facet counts. @param {import("../main.js").App} app @returns {Facet[]} */
const known_categories = (app) => app.categories.map(({ id }) => ({ value: id }));

/**
 * @param {Route} route
 * @param {{ category?: Facet[], tag?: Facet[] }} facets of the response
 * @param {import("../main.js").App} app
 */
export function filter_column(route, facets, app) {
  const count = count_active(route);
  const details = h("details", { class: "filters" },
    h("summary", { "data-keep": "filters" }, count > 0 ? T.filters_used(count) : T.filters),
    h("h2", { class: "hidden" }, T.filters),
    facet_list(T.filter_category, "category", (facets.category ?? known_categories(app)).slice(0, kMostCategories), route, (id) => category_name(id, app)),
    facet_list(T.filter_tag, "tag", (facets.tag ?? []).slice(0, kMostTags), route, own),
    date_filter(route, app));
  details.open = kWide.matches || app.filters_open;
  details.addEventListener("toggle", () => { if (!kWide.matches) app.filters_open = details.open; });
  return details;
}

/** The active filters, each with a link that removes it. @param {Route} route @param {import("../main.js").App} app */
export function active_filters(route, app) {
  if (count_active(route) === 0) return null;
  const chip = (label, what, without, shown = own(what)) => h(
    "li", {}, h("a", { href: changed(route, without), class: "chip", "aria-label": T.remove_filter(`${label} ${what}`),
                       "data-keep": `chip:${label}` },
                h("span", { class: "fine" }, `${label} `), shown, icon("close")));
  const { category = "", tag = "", language = "", version = "", updated_from = "", updated_to = "" } = route;
  return h("ul", { class: "chips" },
           category !== "" && chip(T.filter_category, app.known.category(category), { category: "" }, category_name(category, app)),
           tag !== "" && chip(T.filter_tag, tag, { tag: "" }),
           language !== "" && chip(T.filter_language, language, { language: "" }),
           version !== "" && chip(T.filter_version, version, { version: "" }),
           (updated_from || updated_to) && chip(T.filter_date, T.from_to(updated_from && day(updated_from), updated_to && day(updated_to)),
                                                { updated_from: "", updated_to: "" }));
}

/**
 * A row of choices, one of which is selected.
 * @param {string} label
 * @param {"sort" | "match" | "period"} name
 * @param {Record<string, string>} choices
 * @param {Route} route
 */
export function choices(label, name, choices, route) {
  return h("div", { class: "choice", role: "group", "aria-label": label },
           h("span", { class: "fine", "aria-hidden": "true" }, label),
           h("ul", {}, Object.entries(choices).map(([value, text]) => h(
             "li", {}, h("a", { href: changed(route, { [name]: value }), "data-keep": `${name}:${value}`,
                                "aria-current": route[name] === value ? "true" : undefined }, text)))));
}
