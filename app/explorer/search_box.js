// SPDX-License-Identifier: Apache-2.0
// The search field: searches at each key if the plan has enough requests, otherwise on Enter.

import { h, icon } from "./dom.js";
import { code_points } from "./format.js";
import { results_shown } from "./keyboard.js";
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
    this.#suggestions = new Suggestions(this.#field, app, (suggestion) => this.#chosen(suggestion));
    this.#clear = h("button", { type: "button", class: "tool clear", hidden: true, onclick: () => this.#emptied() },
                    icon("close"), h("span", { class: "hidden" }, T.clear));
    form.append(h("div", { class: "field" }, icon("search"), this.#field, this.#clear,
                  h("button", { type: "submit", class: "main" }, T.search), this.#suggestions.list), this.#hint);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#search(true);
    });
    this.#field.addEventListener("input", () => this.#typed());
    this.#field.addEventListener("keydown", (event) => this.#pressed(event));
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
    const written = document.activeElement === this.#field && (this.#typing || route.view !== "search");
    if (!written && this.#field.value.trim() !== q.trim()) this.#field.value = q;
    this.#clear.hidden = this.#field.value === "";
    if (!this.#typing) this.#suggestions.close();
  }

  #emptied() {
    this.#field.value = "";
    this.#typed();
    this.#field.focus();
  }

  #pressed(event) {
    if (event.isComposing) return;
    if (this.#suggestions.pressed(event)) return;
    if (event.key === "ArrowDown") {
      const [first] = results_shown();
      if (first === undefined) return;
      event.preventDefault();
      first.focus();
    }
  }

  #typed() {
    clearTimeout(this.#timer);
    this.#clear.hidden = this.#field.value === "";
    this.#app.announcer.say(this.#show_hint(), "hint");
    if (this.#wrong() !== "") {
      this.#suggestions.close();
      return;
    }
    if (this.#app.api.mode === "typing") this.#timer = window.setTimeout(() => this.#search(false), kPause);
    this.#suggestions.typed();
  }

  /** @returns {string} why this query is invalid; "" if it is valid */
  #wrong() {
    const length = code_points(this.#field.value.trim());
    return length < kShortest ? T.hint_short : length > kLongest ? T.hint_long : "";
  }

  /** @param {boolean} asked whether the visitor pressed Enter or the button */
  #search(asked) {
    clearTimeout(this.#timer);
    const q = this.#field.value.trim();
    if (asked) this.#suggestions.close();
    if (this.#wrong() !== "") {
      this.#hint.textContent = this.#wrong();
      this.#app.announcer.say(this.#wrong(), "hint");
      this.#field.setAttribute("aria-invalid", "true");
      this.#field.focus();
      return;
    }
    const { route } = this.#app.navigation;
    const filters = route.view === "search" ? route : {};
    const replace = route.view === "search" && (this.#typing || route.q === q);
    this.#typing = !asked;
    void this.#app.navigation.go({ ...filters, view: "search", q, id: undefined, offset: 0 },
                                 { replace, keep_focus: true });
  }

  #chosen({ text, id }) {
    clearTimeout(this.#timer);
    this.#typing = false;
    if (id !== undefined) {
      void this.#app.navigation.go({ view: "item", id });
      return;
    }
    this.#field.value = text;
    this.#search(true);
  }

  /** @returns {string} what is wrong with the current input; "" if nothing is */
  #show_hint() {
    const wrong = this.#field.value === "" ? "" : this.#wrong();
    this.#hint.textContent = wrong || this.#mode_hint();
    if (wrong === "") this.#field.removeAttribute("aria-invalid");
    return wrong;
  }

  /** @returns {string} */
  #mode_hint() {
    if (this.#app.api.mode === "typing") return T.hint_typing;
    const short = this.#app.api.windows?.find(({ seconds }) => seconds <= 3600);
    if (short === undefined) return T.hint_enter;
    return short.limit < 60 ? T.hint_enter_plan(short.limit) : T.hint_enter_low;
  }
}
