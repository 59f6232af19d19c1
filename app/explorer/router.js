// SPDX-License-Identifier: Apache-2.0
// Addresses of views: the query string of the page, so that every view has a link that can be shared.

/**
 * @typedef {object} Route
 * @property {"home" | "search" | "item" | "category" | "categories" | "popular" | "recent" | "stats"} view
 * @property {string} [q]
 * @property {string} [id] of an item or a category
 * @property {string} [category]
 * @property {string} [tag]
 * @property {string} [language]
 * @property {string} [version] of the product that an article describes
 * @property {string} [updated_from]
 * @property {string} [updated_to]
 * @property {string} [sort]
 * @property {string} [match]
 * @property {string} [period]
 * @property {number} [offset]
 */

export const kSorts = ["relevance", "date", "popularity"];
export const kMatches = ["auto", "all", "any"];
export const kPeriods = ["day", "week", "month", "all"];
const kViews = ["categories", "popular", "recent", "stats"];
const kDay = /^\d{4}-\d{2}-\d{2}$/;

/** @param {string | null} value @param {string[]} known the first is the default */
const choice = (value, known) => (value !== null && known.includes(value) ? value : known[0]);

/** @param {string | null} value */
const parse_number = (value) => (value !== null && /^\d{1,15}$/.test(value) ? Number(value) : 0);

/** @param {string | null} value */
const parse_day = (value) => (value !== null && kDay.test(value) ? value : "");

/**
 * @param {string} query of the page's address, with or without `?`
 * @returns {Route} invalid values are omitted
 */
export function parse_route(query) {
  const given = new URLSearchParams(query);
  const item = given.get("item");
  if (item) return { view: "item", id: item };
  const view = given.get("view");
  if (view !== null && kViews.includes(view)) {
    const route = { view };
    if (view === "popular") route.period = choice(given.get("period"), ["week", "day", "month", "all"]);
    return route;
  }
  const q = given.get("q") ?? "";
  if (q.trim() !== "") {
    return { view: "search", q, category: given.get("category") ?? "", tag: given.get("tag") ?? "",
             language: given.get("language") ?? "", version: given.get("version") ?? "",
             updated_from: parse_day(given.get("updated_from")), updated_to: parse_day(given.get("updated_to")),
             sort: choice(given.get("sort"), kSorts), match: choice(given.get("match"), kMatches),
             offset: parse_number(given.get("offset")) };
  }
  const category = given.get("category");
  if (category) return { view: "category", id: category, offset: parse_number(given.get("offset")) };
  return { view: "home" };
}

/**
 * @param {Route} route
 * @returns {string} the shortest address on this host that parse_route converts back to the same route
 */
export function format_route(route) {
  const parameters = new URLSearchParams();
  /** @param {string} name @param {unknown} value @param {unknown} [standard] */
  const add = (name, value, standard = "") => {
    if (value !== undefined && value !== standard) parameters.set(name, String(value));
  };
  if (route.view === "item") {
    add("item", route.id);
  } else if (route.view === "category") {
    add("category", route.id);
    add("offset", route.offset, 0);
  } else if (route.view === "search") {
    for (const name of ["q", "category", "tag", "language", "version", "updated_from", "updated_to"]) {
      add(name, route[name]);
    }
    add("sort", route.sort, kSorts[0]);
    add("match", route.match, kMatches[0]);
    add("offset", route.offset, 0);
  } else if (route.view !== "home") {
    add("view", route.view);
    add("period", route.period, "week");
  }
  const query = parameters.toString();
  return query === "" ? "/" : `/?${query}`;
}

/**
 * Returns the search for the items of a tag. `q` contains the tag as a phrase too, because a search requires words.
 * @param {string} tag
 * @returns {Route}
 */
export function tag_route(tag) {
  return { view: "search", q: `"${tag.replaceAll('"', " ").trim()}"`, tag };
}
