// SPDX-License-Identifier: Apache-2.0
// Article page.

import { fill, h, heading_named, own } from "../dom.js";
import { ApiError } from "../errors.js";
import { day } from "../format.js";
import { render_html } from "../markdown/html.js";
import { render_markdown } from "../markdown/render.js";
import { category_link, item_address, tag_links } from "../parts/result_list.js";
import { T } from "../texts.js";

const kContentsFrom = 4;  // minimum number of headings for a table of contents
const kContentsTo = 60;   // maximum number of its entries

/**
 * @param {import("../router.js").Route} route
 * @param {import("../main.js").App} app
 * @param {number} [max_age]
 * @returns {Promise<import("../navigation.js").Shown>}
 */
export async function item_view({ id = "" }, app, max_age) {
  const { body: { data: item } } = await app.api.get(`/item/${encodeURIComponent(id)}`, {}, { channel: "view", max_age });
  app.known.add_items([item]);
  const title = item.title || item.id;
  const body = h("div", { class: "article-body" });
  const show_formatted = () => fill(body, formatted(item));
  show_formatted();
  const related = h("div", { class: "related" });
  const node = h("div", { class: "item-view" },
                 h("article", { dir: "auto" },  // as its title, the first text that is not isolated
                   h("p", { class: "fine above" }, category_link(item.category, app)),
                   h("h1", { lang: "" }, title),
                   h("p", { class: "fine about by", dir: "ltr" }, about(item.metadata)),
                   body),
                 h("aside", { "aria-label": T.details },
                   contents(body),
                   item.tags.length > 0 && [h("h2", {}, T.tags), tag_links(item.tags)],
                   related,
                   h("p", { class: "actions" },
                     item.url && h("a", { href: item.url, rel: "noopener" }, T.original),
                     source_switch(item.content, body, show_formatted),
                     h("button", { type: "button", onclick: () => print() }, T.print))));
  return {
    title, node, announce: T.opened(title),
    after: () => {
      name_scrollable_boxes(body);
      void show_related(item, related, app);
      if (location.hash !== "") heading_named(location.hash)?.scrollIntoView();
    } };
}

/** @param {any} item @returns {Node} its content, rendered by its format */
function formatted(item) {
  if (item.content.trim() === "") return h("p", { class: "fine" }, T.empty_article);
  switch (item.format) {
    case "html": return render_html(item.content);
    case "text": return h("pre", { class: "source", dir: "auto", lang: "" }, item.content);
    default: return render_markdown(item.content, { base: location.href, item, item_address });
  }
}

/** @param {any} metadata @returns {import("../dom.js").Child[]} */
function about({ author, created, updated, views }) {
  return [author !== "" && [h("span", {}, T.by(""), own(author)), " · "],
          `${T.updated} `, h("time", { datetime: updated }, day(updated)),
          created !== updated && [` · ${T.created} `, h("time", { datetime: created }, day(created))],
          ` · ${T.views(views)}`].flat();
}

/** @param {HTMLElement} body */
function contents(body) {
  const headings = [...body.querySelectorAll("h2, h3")];
  if (headings.length < kContentsFrom) return null;
  return h("nav", { class: "contents", "aria-label": T.contents }, h("h2", {}, T.contents), h(
    "ul", {}, headings.slice(0, kContentsTo).map((heading) => h("li", { class: heading.tagName.toLowerCase() },
                                          h("a", { href: `#${heading.id}` }, own(heading.textContent ?? ""))))));
}

/** @returns {HTMLElement} */
function source_switch(content, body, formatted) {
  let source = false;
  const button = h("button", { type: "button", onclick: () => {
    source = !source;
    if (source) fill(body, h("pre", { class: "source", dir: "auto", lang: "" }, content));
    else formatted();
    name_scrollable_boxes(body);
    button.textContent = source ? T.rendered : T.source;
  } }, T.source);
  return button;
}

/**
 * Elements wider than the page scroll on their own; they are then focusable by keyboard and have a name.
 * @param {HTMLElement} body
 */
function name_scrollable_boxes(body) {
  const boxes = [...body.querySelectorAll("pre, .table")];
  if (boxes.length === 0) return;
  const check = () => {
    const wide = boxes.map((box) => box.scrollWidth > box.clientWidth + 1);
    boxes.forEach((box, at) => {
      const box_name = box.tagName === "PRE" ? T.code_scrolls : T.table_scrolls;
      for (const [name, value] of [["tabindex", "0"], ["role", "group"], ["aria-label", box_name]]) {
        if (wide[at]) box.setAttribute(name, value);
        else box.removeAttribute(name);
      }
    });
  };
  new ResizeObserver((_, observer) => (body.isConnected ? check() : observer.disconnect())).observe(body);
}

/**
 * Shows the related articles: their titles if the plan has a request to spare, otherwise their ids or known titles.
 * @param {any} item @param {HTMLElement} container @param {import("../main.js").App} app
 */
async function show_related(item, container, app) {
  const show = (items) => {
    if (items.length === 0) return;
    fill(container, h("h2", {}, T.related), h("ul", {}, items.map(({ id, title }) => h(
      "li", { dir: "auto" }, h("a", { href: item_address(id), lang: "" }, title || id)))));
  };
  show(item.related.map((id) => ({ id, title: app.known.item(id) })));
  if (!app.api.has_spare_requests) return;
  try {
    const { body } = await app.api.get(`/item/${encodeURIComponent(item.id)}/related`, {}, { channel: "related" });
    app.known.add_items(body.data);
    if (container.isConnected) show(body.data);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;  // the ids remain
  }
}
