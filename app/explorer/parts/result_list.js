// SPDX-License-Identifier: Apache-2.0
// List entries: search results and article summaries.

import { h, own } from "../dom.js";
import { day } from "../format.js";
import { heading_id } from "../markdown/outline.js";
import { format_route, tag_route } from "../router.js";
import { T } from "../texts.js";

/** @param {string} id */
export const item_address = (id) => format_route({ view: "item", id });

/**
 * A text with the matching words marked.
 * @param {string} text @param {{ text: string, match: boolean }[]} [parts]
 */
const marked = (text, parts) => parts?.map((part) => (part.match ? h("mark", {}, part.text) : part.text)) ?? [text];

/** @param {{ excerpt: string, excerpt_parts?: { text: string, match: boolean }[] }} hit */
function excerpt(hit) {
  return h("p", { class: "excerpt", dir: "auto", lang: "" }, marked(hit.excerpt, hit.excerpt_parts));
}

/** @param {any} hit */
function title_link(hit) {
  const text = hit.title === "" ? [hit.id] : marked(hit.title, hit.title_parts);
  return h("h2", {}, h("a", { href: item_address(hit.id), "data-result": true, lang: "" }, text));
}

/** A link to the part of the article that has the match. @param {any} hit */
function section_link({ id, section }) {
  if (!section || section.heading === "") return null;
  return [" · ", h("a", { href: `${item_address(id)}#${heading_id(section.anchor)}` }, own(section.heading))];
}

/** Links to the other articles with this title: versions and translations. @param {any} hit */
function namesake_links({ also = [] }) {
  if (also.length === 0) return null;
  return h("p", { class: "fine about", dir: "ltr" }, T.also, also.map(({ id, language, version }, at) => [
    at > 0 && ", ",
    h("a", { href: item_address(id) }, own([version, language].filter(Boolean).join(" ") || id))]));
}

/** The name of a category, or its id until the name is known. @param {string} id @param {import("../main.js").App}
 * app */
export function category_name(id, app) {
  return h("bdi", { lang: "", "data-category": id }, app.known.category(id));
}

/** @param {string} id @param {import("../main.js").App} app */
export function category_link(id, app) {
  return h("a", { href: format_route({ view: "category", id }), class: "category" }, category_name(id, app));
}

/** @param {string[]} tags */
export function tag_links(tags) {
  return h("ul", { class: "tags", "aria-label": T.tags }, tags.map((tag) => h(
    "li", {}, h("a", { href: format_route(tag_route(tag)), class: "tag" }, own(tag)))));
}

/** @param {any[]} hits of a search @param {number} offset @param {import("../main.js").App} app */
export function hit_list(hits, offset, app) {
  return h("ol", { class: "results", start: offset + 1 }, hits.map((hit) => h(
    "li", { dir: "auto" }, title_link(hit), excerpt(hit),
    h("p", { class: "fine about", dir: "ltr" }, category_link(hit.category, app), section_link(hit)),
    namesake_links(hit))));
}

/**
 * @param {any[]} items summaries
 * @param {import("../main.js").App} app
 * @param {{ category?: boolean }} [shown]
 */
export function summary_list(items, app, { category = true } = {}) {
  return h("ol", { class: "results" }, items.map((item) => h(
    "li", { dir: "auto" }, title_link(item), excerpt(item),
    h("p", { class: "fine about", dir: "ltr" },
      category && [category_link(item.category, app), " · "],
      h("time", { datetime: item.metadata.updated }, day(item.metadata.updated)),
      ` · ${item.period_views !== undefined ? T.period_views(item.period_views) : T.views(item.metadata.views)}`))));
}
