// SPDX-License-Identifier: Apache-2.0
// Search results.

import { h, own } from "../dom.js";
import { choices, filter_column, active_filters } from "../parts/filters.js";
import { pager, past_the_end } from "../parts/pager.js";
import { hit_list } from "../parts/result_list.js";
import { format_route } from "../router.js";
import { T } from "../texts.js";

const kPage = 20;

/**
 * @param {import("../router.js").Route} route
 * @param {import("../main.js").App} app
 * @param {number} [max_age]
 * @returns {Promise<import("../navigation.js").Shown>}
 */
export async function search_view(route, app, max_age) {
  const { q = "", category, tag, language, version, updated_from, updated_to, sort, match, offset } = route;
  const { body, headers } = await app.api.get("/search", {
    q: q.trim(), category, tag, language, version, updated_from, updated_to, collapse: "title", sort: sort === "relevance" ? "" : sort,
    match: match === "auto" ? "" : match, limit: kPage, offset: offset || "", highlight: "true", facets: "category,tag",
  }, { channel: "search", max_age });
  app.known.add_items(body.data);
  const { total } = body.pagination;
  const address = (offset) => format_route({ ...route, offset });
  const node = h("div", { class: "search-view" },
                 h("div", { class: "search-main" },
                   h("h1", { class: "quiet" }, T.results_for(""), own(q.trim())),
                   notes(route, headers),
                   h("p", { class: "count" }, count(body, headers)),
                   active_filters(route, app),
                   h("div", { class: "choices" }, choices(T.sort, "sort", T.sorts, route), choices(T.match, "match", T.matches, route)),
                   total === 0 ? no_results(route) : body.data.length === 0 ? past_the_end(address)
                     : hit_list(body.data, body.pagination.offset, app),
                   pager(body.pagination, address)),
                 filter_column(route, body.facets ?? {}, app));
  return { title: q.trim(), node, announce: [T.found(total), ...[...node.querySelectorAll(".note")].map((note) => note.textContent)].join(". ") };
}

/** Whether a result stands for several articles, so that there are fewer results than matches. @param {any[]} hits */
const has_namesakes = (hits) => hits.some(({ also }) => also.length > 0);

/** @returns {import("../dom.js").Child[]} */
function count({ data, pagination: { total, offset } }, headers) {
  if (data.length === 0) return [T.found(total)];
  const rule = headers.match === "any" ? T.match_any : headers.match === "all" ? T.match_all : "";
  const range = has_namesakes(data) ? T.found_titles : T.range;
  return [range(offset + 1, offset + data.length, total), rule !== "" && h("span", { class: "fine" }, ` ${rule}`)];
}

/** @param {string} text percent-encoded */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** @param {string} [header] pairs such as "serach=search, k8s=kubernetes", percent-encoded @returns {[string, string][]} */
function pairs(header) {
  if (!header) return [];
  return header.split(",").map((pair) => {
    const [word, other = ""] = pair.trim().split("=", 2).map(decoded);
    return [word, other];
  });
}

/** @param {string[]} words @returns {import("../dom.js").Child[]} the words in bold, separated by commas */
const listed = (words) => words.map((word, at) => [at > 0 && ", ", h("strong", {}, own(word))]).flat();

/** What was searched instead of, or besides, the query: corrected words, as a link if the server returns the whole
 * query; what does not apply; synonyms. @returns {import("../dom.js").Child[]} */
function notes(route, headers) {
  const lines = [];
  const corrections = pairs(headers.corrected);
  if (corrections.length > 0) {
    const q = decoded(headers.did_you_mean ?? "");
    const searched = q !== "" ? h("a", { href: format_route({ ...route, q, offset: 0 }) }, h("strong", {}, own(q)))
      : listed(corrections.map(([, to]) => to));
    lines.push([T.corrected, searched, T.corrected_why(corrections.map(([from]) => `“${from}”`).join(", "))]);
  }
  for (const what of (headers.relaxed ?? "").split(", "))
    if (Object.hasOwn(T.relaxed, what)) lines.push([T.relaxed[/** @type {keyof typeof T.relaxed} */ (what)]]);
  const synonyms = [...new Set(pairs(headers.synonyms).map(([, synonym]) => synonym))];
  if (synonyms.length > 0) lines.push([T.also_searched, listed(synonyms)]);
  return lines.map((line) => h("p", { class: "note" }, line));
}

/** @param {import("../router.js").Route} route */
function no_results(route) {
  const filtered = Boolean(route.category || route.tag || route.language || route.version || route.updated_from || route.updated_to);
  const bare = { ...route, category: "", tag: "", language: "", version: "", updated_from: "", updated_to: "", offset: 0 };
  return h("div", { class: "nothing" }, h("p", {}, filtered ? T.nothing_filtered : T.nothing),
           filtered ? h("p", {}, h("a", { href: format_route(bare) }, T.clear_filters))
             : h("ul", {}, T.nothing_tips.map((tip) => h("li", {}, tip))));
}
