// SPDX-License-Identifier: Apache-2.0
// Addresses of views: the query string of the page, so that every view has a link that can be shared.

/**
 * @typedef {object} Route
 * @property {"home" | "search" | "item" | "category" | "categories" | "popular" | "recent" | "stats"} view
 * @property {string} [q]
 * @property {string} [id] of an item or a category
 * @property {string} [category]
 * @property {string} [tag]
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
const whole = (value) => (value !== null && /^\d{1,15}$/.test(value) ? Number(value) : 0);

/** @param {string | null} value */
const a_day = (value) => (value !== null && kDay.test(value) ? value : "");

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
             updated_from: a_day(given.get("updated_from")), updated_to: a_day(given.get("updated_to")),
             sort: choice(given.get("sort"), kSorts), match: choice(given.get("match"), kMatches),
             offset: whole(given.get("offset")) };
  }
  const category = given.get("category");
  if (category) return { view: "category", id: category, offset: whole(given.get("offset")) };
  return { view: "home" };
}

/**
 * @param {Route} route
 * @returns {string} the shortest address on this host that parse_route converts back to the same route
 */
export function format_route(route) {
  const said = new URLSearchParams();
  /** @param {string} name @param {unknown} value @param {unknown} [standard] */
  const say = (name, value, standard = "") => {
    if (value !== undefined && value !== standard) said.set(name, String(value));
  };
  if (route.view === "item") {
    say("item", route.id);
  } else if (route.view === "category") {
    say("category", route.id);
    say("offset", route.offset, 0);
  } else if (route.view === "search") {
    for (const name of ["q", "category", "tag", "updated_from", "updated_to"]) {
      say(name, route[name]);
    }
    say("sort", route.sort, kSorts[0]);
    say("match", route.match, kMatches[0]);
    say("offset", route.offset, 0);
  } else if (route.view !== "home") {
    say("view", route.view);
    say("period", route.period, "week");
  }
  const query = said.toString();
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
