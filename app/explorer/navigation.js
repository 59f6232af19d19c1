// SPDX-License-Identifier: Apache-2.0
// Navigation between views: address, history, title, focus and scroll position.

import { heading_named } from "./dom.js";
import { ApiError } from "./errors.js";
import { format_route, parse_route } from "./router.js";
import { error_view } from "./parts/problem.js";

const kReturnMaxAge = 300_000;  // milliseconds; going back shows the view as it was

/**
 * @typedef {import("./router.js").Route} Route
 *
 * @typedef {object} Shown result of a view for a route
 * @property {string} title "" for only the name of the knowledge base
 * @property {Node} node begins with a level-1 heading
 * @property {string} [announce]
 * @property {() => void} [after] called once the node is in the page
 *
 * @typedef {object} NavigationOptions
 * @property {boolean} [replace] replace the history entry instead of adding one
 * @property {boolean} [keep_focus] keep the focus, or focus the same control of the new view
 * @property {string} [hash] names a heading of the view
 */

export class Navigation {
  #app;
  #main;
  #views;
  #listeners = [];
  #turn = 0;
  #depth = 0;  // previous views in the history; addresses that differ only after `#` are the same view
  route = { view: "home" };

  /**
   * @param {import("./main.js").App} app
   * @param {HTMLElement} main
   * @param {Record<string, (route: any, app: any, max_age?: number) => Promise<Shown>>} views
   */
  constructor(app, main, views) {
    this.#app = app;
    this.#main = main;
    this.#views = views;
  }

  /** @param {(route: Route) => void} listener called before a view is fetched */
  on_route(listener) {
    this.#listeners.push(listener);
  }

  start() {
    history.scrollRestoration = "manual";
    this.#depth = history.state?.depth ?? 0;
    addEventListener("popstate", (event) => this.#on_popstate(event.state));
    document.addEventListener("click", (event) => this.#on_click(event));
    return this.#show(parse_route(location.search), { keep_focus: true });
  }

  /** Whether going back stays within this page. */
  get can_go_back() {
    return this.#depth > 0;
  }

  /** @param {Route} route @param {NavigationOptions} [options] */
  go(route, options = {}) {
    const address = format_route(route) + (options.hash ?? "");
    if (options.replace || address === format_route(this.route) + location.hash) {
      history.replaceState({ depth: this.#depth }, "", address);
    } else {
      this.#save_position();
      history.pushState({ depth: ++this.#depth }, "", address);
    }
    return this.#show(parse_route(location.search), options);
  }

  /** Shows the current view again, after an error or with another key. */
  again() {
    return this.#show(this.route, { keep_focus: true });
  }

  /** Saves scroll position and focused result, for when the visitor returns. */
  #save_position() {
    const link = document.activeElement?.closest("[data-result]");
    history.replaceState({ depth: this.#depth, scroll: scrollY, result: link?.getAttribute("href") ?? "" }, "");
  }

  #on_popstate(state) {
    const route = parse_route(location.search);
    const is_same = format_route(route) === format_route(this.route);  // ignores the part after `#`
    this.#depth = state?.depth ?? (is_same ? this.#depth : 0);
    if (is_same) {
      const heading = heading_named(location.hash);
      if (heading !== null) heading.scrollIntoView();
      else scrollTo(0, state?.scroll ?? 0);
      return;
    }
    return this.#show(route, {}, state ?? {});
  }

  #on_click(event) {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) {
      return;
    }
    const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
    if (!(link instanceof HTMLAnchorElement) || link.target !== "" || link.origin !== location.origin) return;
    if (link.pathname !== "/" || (link.hash !== "" && link.search === location.search)) return;
    event.preventDefault();
    if (link.dataset.result !== undefined) link.focus({ preventScroll: true });
    void this.go(parse_route(link.search), { keep_focus: link.dataset.keep !== undefined, hash: link.hash });
  }

  async #show(route, options, returning = null) {
    const turn = ++this.#turn;
    this.route = route;
    for (const listener of this.#listeners) listener(route);
    const busy = setTimeout(() => this.#main.setAttribute("aria-busy", "true"), 200);
    try {
      const shown = await this.#view(route, returning !== null ? kReturnMaxAge : undefined);
      if (turn === this.#turn && shown !== null) this.#render(shown, options, returning);
    } finally {
      clearTimeout(busy);
      if (turn === this.#turn) this.#main.removeAttribute("aria-busy");
    }
  }

  /** @returns {Promise<Shown | null>} null: cancelled because another view follows */
  async #view(route, max_age) {
    try {
      return await this.#views[route.view](route, this.#app, max_age);
    } catch (error) {
      if (error.kind === "cancelled") return null;
      if (error instanceof ApiError) return error_view(error, this.#app);
      reportError(error);
      return error_view(new ApiError("internal"), this.#app);
    }
  }

  #render({ title, node, announce, after }, options, returning) {
    const focused = this.#main.contains(document.activeElement);
    const focused_key = document.activeElement?.dataset.keep ?? "";
    this.#main.replaceChildren(node);
    document.title = title === "" ? this.#app.settings.name : `${title} – ${this.#app.settings.name}`;
    after?.();
    if (!options.keep_focus) {
      this.#focus(`[data-result][href="${CSS.escape(returning?.result ?? "")}"]`);
      if (returning !== null || heading_named(location.hash) === null) scrollTo(0, returning?.scroll ?? 0);
    } else if (focused) {
      this.#focus(`[data-keep="${CSS.escape(focused_key)}"]`);
    }
    this.#app.announcer.announce(announce ?? "", "view");
  }

  /** @param {string} selector of the element to focus; the heading if there is no such element */
  #focus(selector) {
    const heading = heading_named(location.hash) ?? this.#main.querySelector("h1");
    if (heading !== null) heading.tabIndex = -1;
    const target = this.#main.querySelector(selector) ?? heading ?? this.#main;
    target.focus({ preventScroll: true });
  }
}
