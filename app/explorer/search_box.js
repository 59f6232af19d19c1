// SPDX-License-Identifier: Apache-2.0
// The search field: searches at each key if the plan has enough requests, otherwise on Enter.

import { h, icon } from "./dom.js";
import { code_points } from "./format.js";
import { visible_results } from "./keyboard.js";
import { Suggestions } from "./suggestions.js";
import { T } from "./texts.js";

const kPause = 60;    // between the last key and the request, milliseconds
const kShortest = 2;  // length of a query, as the API counts characters
const kLongest = 512;

export class SearchBox {
  #app;
  #field;
  #clear;
  #hint = h("p", { id: "hint", class: "hint" });
  #suggestions;
  #timer = 0;
  #typing = false;  // further keys change the same search and the same history entry

  /** @param {HTMLElement} form @param {import("./main.js").App} app */
  constructor(form, app) {
    this.#app = app;
    this.#field = h("input", {
      id: "q", type: "search", name: "q", autocomplete: "off", autocapitalize: "off", autocorrect: "off",
      spellcheck: "false", enterkeyhint: "search", dir: "auto", placeholder: T.placeholder, "aria-label": T.search_label,
      "aria-describedby": "hint", maxlength: 2000 });
    this.#suggestions = new Suggestions(this.#field, app, (suggestion) => this.#on_choose(suggestion));
    this.#clear = h("button", { type: "button", class: "tool clear", hidden: true, onclick: () => this.#clear_text() },
                    icon("close"), h("span", { class: "hidden" }, T.clear));
    form.append(h("div", { class: "field" }, icon("search"), this.#field, this.#clear,
                  h("button", { type: "submit", class: "main" }, T.search), this.#suggestions.list), this.#hint);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#search(true);
    });
    this.#field.addEventListener("input", () => this.#on_input());
    this.#field.addEventListener("keydown", (event) => this.#on_keydown(event));
    app.api.on_quota(() => this.#show_hint());
    this.#show_hint();
  }

  focus() {
    this.#field.focus();
    this.#field.select();
  }

  /** @param {import("./router.js").Route} route the route that is shown now */
  follow(route) {
    if (route.view !== "search") this.#typing = false;
    const q = route.view === "search" ? route.q ?? "" : "";
    const keep_text = document.activeElement === this.#field && (this.#typing || route.view !== "search");
    if (!keep_text && this.#field.value.trim() !== q.trim()) this.#field.value = q;
    this.#clear.hidden = this.#field.value === "";
    if (!this.#typing) this.#suggestions.close();
  }

  #clear_text() {
    this.#field.value = "";
    this.#on_input();
    this.#field.focus();
  }

  #on_keydown(event) {
    if (event.isComposing) return;
    if (this.#suggestions.on_keydown(event)) return;
    if (event.key === "ArrowDown") {
      const [first] = visible_results();
      if (first === undefined) return;
      event.preventDefault();
      first.focus();
    }
  }

  #on_input() {
    clearTimeout(this.#timer);
    this.#clear.hidden = this.#field.value === "";
    this.#app.announcer.announce(this.#show_hint(), "hint");
    if (this.#error() !== "") {
      this.#suggestions.close();
      return;
    }
    if (this.#app.api.mode === "typing") this.#timer = window.setTimeout(() => this.#search(false), kPause);
    this.#suggestions.on_input();
  }

  /** @returns {string} why this query is invalid; "" if it is valid */
  #error() {
    const length = code_points(this.#field.value.trim());
    return length < kShortest ? T.hint_short : length > kLongest ? T.hint_long : "";
  }

  /** @param {boolean} submitted whether the visitor pressed Enter or the button */
  #search(submitted) {
    clearTimeout(this.#timer);
    const q = this.#field.value.trim();
    if (submitted) this.#suggestions.close();
    if (this.#error() !== "") {
      this.#hint.textContent = this.#error();
      this.#app.announcer.announce(this.#error(), "hint");
      this.#field.setAttribute("aria-invalid", "true");
      this.#field.focus();
      return;
    }
    const { route } = this.#app.navigation;
    const filters = route.view === "search" ? route : {};
    const replace = route.view === "search" && (this.#typing || route.q === q);
    this.#typing = !submitted;
    void this.#app.navigation.go({ ...filters, view: "search", q, id: undefined, offset: 0 },
                                 { replace, keep_focus: true });
  }

  #on_choose({ text, id }) {
    clearTimeout(this.#timer);
    this.#typing = false;
    if (id !== undefined) {
      void this.#app.navigation.go({ view: "item", id });
      return;
    }
    this.#field.value = text;
    this.#search(true);
  }

  /** @returns {string} why the current input is invalid; "" if it is valid */
  #show_hint() {
    const error = this.#field.value === "" ? "" : this.#error();
    this.#hint.textContent = error || this.#mode_hint();
    if (error === "") this.#field.removeAttribute("aria-invalid");
    return error;
  }

  /** @returns {string} */
  #mode_hint() {
    if (this.#app.api.mode === "typing") return T.hint_typing;
    const short = this.#app.api.windows?.find(({ seconds }) => seconds <= 3600);
    if (short === undefined) return T.hint_enter;
    return short.limit < 60 ? T.hint_enter_plan(short.limit) : T.hint_enter_low;
  }
}
