// SPDX-License-Identifier: Apache-2.0
// Assembles the page.

import { Announcer } from "./announcer.js";
import { Api } from "./api.js";
import { h } from "./dom.js";
import { ApiError } from "./errors.js";
import { HealthLight } from "./health_light.js";
import { KeyStore } from "./key.js";
import { Keyboard } from "./keyboard.js";
import { KnownNames } from "./known.js";
import { Navigation } from "./navigation.js";
import { help_panel } from "./parts/help_panel.js";
import { key_panel } from "./parts/key_panel.js";
import { quota_button } from "./parts/quota_meter.js";
import { requests_panel } from "./parts/requests_panel.js";
import { kWide } from "./parts/filters.js";
import { RequestLog } from "./request_log.js";
import { format_route } from "./router.js";
import { SearchBox } from "./search_box.js";
import { device, read_settings, session } from "./settings.js";
import { T } from "./texts.js";
import { theme_switch } from "./theme_switch.js";
import { categories_view, category_view } from "./views/categories.js";
import { home_view } from "./views/home.js";
import { popular_view, recent_view } from "./views/lists.js";
import { search_view } from "./views/search.js";

/**
 * A view whose module is loaded on first use. Browsers cache a failed module load, so after a failure only a page
 * reload can load it; this waits until the server responds again before it reloads.
 * @param {() => Promise<Record<string, Function>>} load @param {string} name of the view in its module
 */
function lazy_view(load, name) {
  let failed = false;
  return async (route, app, max_age) => {
    if (failed) {
      await app.api.get("/health", {}, { free: true });
      location.reload();
      throw new ApiError("cancelled");
    }
    const views = await load().catch(() => {
      failed = true;
      throw new ApiError("unreachable");
    });
    return views[name](route, app, max_age);
  };
}

// Searching does not need the reader or the charts.
const kViews = {
  home: home_view, search: search_view, categories: categories_view, category: category_view, popular: popular_view,
  recent: recent_view,
  item: lazy_view(() => import("./views/item.js"), "item_view"),
  stats: lazy_view(() => import("./views/stats.js"), "stats_view"),
};
const kMostCategories = 1000;  // of one response

/** @param {string} id @returns {HTMLElement} */
const element_by_id = (id) => document.getElementById(id);

/** Shared objects of the page's parts. */
export class App {
  settings = read_settings();
  keys = new KeyStore(device, session);
  log = new RequestLog();
  api = new Api(this.settings.base, this.keys, this.log);
  known = new KnownNames();
  announcer = new Announcer(element_by_id("announcements"));
  navigation = new Navigation(this, element_by_id("view"), kViews);
  keyboard = new Keyboard(this);
  health = new HealthLight(this);
  panels = { key: key_panel(this), requests: requests_panel(this.log), help: help_panel(this.keyboard) };
  search_box = new SearchBox(element_by_id("search"), this);
  categories = [];
  category_pages = 1;
  more_categories = false;
  filters_open = false;

  /** @param {string} key @param {boolean} remember */
  use_key(key, remember) {
    this.keys.keep(key, remember);
    this.#on_key_changed();
  }

  forget_key() {
    this.keys.forget();
    this.#on_key_changed();
  }

  #on_key_changed() {
    this.api.forget();
    void this.health.check();
  }

  /**
   * Fetches the categories, a thousand per request, as many pages as the visitor opened.
   * @param {number} [max_age] of cached responses, in milliseconds
   */
  async load_categories(max_age = 600_000) {
    const loaded = [];
    for (let page = 0; page < this.category_pages && loaded.length === page * kMostCategories; ++page) {
      const { body } = await this.api.get("/categories", { limit: kMostCategories, offset: loaded.length || "" }, { max_age });
      loaded.push(...body.data);
    }
    this.categories = loaded;
    this.more_categories = loaded.length === this.category_pages * kMostCategories;
    this.known.add_categories(loaded);
    for (const shown of document.querySelectorAll("[data-category]")) {
      shown.textContent = this.known.category(shown.dataset.category);
    }
    return this.categories;
  }
}

/** @param {App} app */
function build_frame(app) {
  element_by_id("name").textContent = app.settings.name;
  const views = ["categories", "popular", "recent", "stats"];
  const links = views.map((view) => h("a", { href: format_route({ view }) }, T[view]));
  element_by_id("nav").append(...links);
  element_by_id("tools").append(quota_button(app), theme_switch());
  const open = (name, text) =>
    h("button", { type: "button", class: "plain", onclick: () => app.panels[name].open() }, text);
  element_by_id("bottom").append(app.health.element, h(
    "p", { class: "more" }, open("key", T.quota_button), open("requests", T.requests_button), open("help", T.help_button),
    h("a", { href: "/docs" }, T.api_page)));
  app.navigation.on_route((route) => {
    document.documentElement.classList.toggle("home", route.view === "home");
    links.forEach((link, at) => {
      if (views[at] === route.view) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    });
    app.search_box.follow(route);
  });
  kWide.addEventListener("change", () => {
    for (const details of document.querySelectorAll("details.filters")) details.toggleAttribute("open", kWide.matches);
  });
}

const app = new App();
build_frame(app);
// Health is not charged and returns the quota, so it is requested first. The view does not wait for it.
const health_checked = app.health.check();
await app.navigation.start();
if (app.navigation.route.view === "home") app.search_box.focus();
// Category names are more readable than ids; fetch them if the plan has requests to spare.
await health_checked;
if (app.api.has_spare_requests && app.categories.length === 0) await app.load_categories().catch(() => {});
