// SPDX-License-Identifier: Apache-2.0
// Goes from view to view: the address, the history, the title, the focus and the place on the page.

import { heading_named } from "./dom.js";
import { ApiError } from "./errors.js";
import { format_route, parse_route } from "./router.js";
import { problem } from "./parts/problem.js";

const kReturning = 300_000;  // somebody who goes back wants to see what was there; milliseconds

/**
 * @typedef {import("./router.js").Route} Route
 *
 * @typedef {object} Shown what a view makes of a route
 * @property {string} title "" for the name of the knowledge base alone
 * @property {Node} node begins with a heading of level 1
 * @property {string} [announce]
 * @property {() => void} [after] once the node is in the page
 *
 * @typedef {object} How
 * @property {boolean} [replace] the entry of the history instead of adding one
 * @property {boolean} [keep_focus] where it is, or on the same control of the new view
 */

export class Navigation {
  #app;
  #main;
  #views;
  #listeners = [];
  #turn = 0;
  #depth = 0;
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
    addEventListener("popstate", (event) => this.#returned(event.state));
    document.addEventListener("click", (event) => this.#clicked(event));
    return this.#show(parse_route(location.search), { keep_focus: true });
  }

  /** Whether going back stays within this page. */
  get can_go_back() {
    return this.#depth > 0;
  }

  /** @param {Route} route @param {How} [how] */
  go(route, how = {}) {
    const address = format_route(route);
    if (how.replace) {
      history.replaceState({ depth: this.#depth }, "", address);
    } else {
      this.#leave();
      history.pushState({ depth: ++this.#depth }, "", address);
    }
    return this.#show(parse_route(address.slice(1)), how);
  }

  /** The same view again: after an error, with another key. */
  again() {
    return this.#show(this.route, { keep_focus: true });
  }

  /** Notes where the visitor was, for when he comes back. */
  #leave() {
    const link = document.activeElement?.closest("[data-result]");
    history.replaceState({ depth: this.#depth, scroll: scrollY, result: link?.getAttribute("href") ?? "" }, "");
  }

  #returned(state) {
    const route = parse_route(location.search);
    if (format_route(route) === format_route(this.route)) {  // only the part of the address behind `#` changed
      const heading = heading_named(location.hash);
      if (heading !== null) heading.scrollIntoView();
      else scrollTo(0, state?.scroll ?? 0);
      return;
    }
    this.#depth = state?.depth ?? 0;
    return this.#show(route, {}, state ?? {});
  }

  #clicked(event) {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) {
      return;
    }
    const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
    if (!(link instanceof HTMLAnchorElement) || link.target !== "" || link.origin !== location.origin) return;
    if (link.pathname !== "/" || link.hash !== "") return;
    event.preventDefault();
    if (link.dataset.result !== undefined) link.focus({ preventScroll: true });
    void this.go(parse_route(link.search), { keep_focus: link.dataset.keep !== undefined });
  }

  async #show(route, how, returning = null) {
    const turn = ++this.#turn;
    this.route = route;
    for (const listener of this.#listeners) listener(route);
    const busy = setTimeout(() => this.#main.setAttribute("aria-busy", "true"), 200);
    const shown = await this.#view(route, returning !== null ? kReturning : undefined);
    clearTimeout(busy);
    if (turn !== this.#turn || shown === null) return;
    this.#main.removeAttribute("aria-busy");
    this.#put(shown, how, returning);
  }

  /** @returns {Promise<Shown | null>} null: cancelled, another one is coming */
  async #view(route, max_age) {
    try {
      return await this.#views[route.view](route, this.#app, max_age);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return error.kind === "cancelled" ? null : problem(error, this.#app);
    }
  }

  #put({ title, node, announce, after }, how, returning) {
    const kept = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.keep : undefined;
    this.#main.replaceChildren(node);
    document.title = title === "" ? this.#app.settings.name : `${title} – ${this.#app.settings.name}`;
    after?.();
    if (!how.keep_focus) {
      this.#focus(returning?.result ?? "");
      scrollTo(0, returning?.scroll ?? 0);
    } else if (kept !== undefined) {
      this.#main.querySelector(`[data-keep="${CSS.escape(kept)}"]`)?.focus({ preventScroll: true });
    }
    if (announce) this.#app.announcer.say(announce);
  }

  /** @param {string} result address of the one that was opened from here, if any */
  #focus(result) {
    const link = result === "" ? null : this.#main.querySelector(`[data-result][href="${CSS.escape(result)}"]`);
    const heading = this.#main.querySelector("h1");
    if (heading !== null) heading.tabIndex = -1;
    const target = link ?? heading ?? this.#main;
    target.focus({ preventScroll: true });
  }
}
