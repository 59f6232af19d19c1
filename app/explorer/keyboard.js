// SPDX-License-Identifier: Apache-2.0
// Keyboard navigation: to the search field, through the results, and back.

import { device } from "./settings.js";

export class Keyboard {
  #app;
  #single_keys = device.get("kbase-keys") !== "off";

  /** @param {import("./main.js").App} app */
  constructor(app) {
    this.#app = app;
    document.addEventListener("keydown", (event) => this.#on_keydown(event));
  }

  get single_keys() {
    return this.#single_keys;
  }

  set single_keys(used) {
    this.#single_keys = used;
    if (used) device.remove("kbase-keys");
    else device.set("kbase-keys", "off");
  }

  #on_keydown(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const target = event.target;
    if (target.closest("dialog") !== null) return;
    const on_result = target.closest("[data-result]") !== null;
    const typing = target.matches("input, textarea, select, [contenteditable]");
    if (event.key === "Escape") return this.#on_escape(event, typing);
    if (typing) return;
    if (on_result && event.key === "ArrowDown") return this.#move_focus(event, 1);
    if (on_result && event.key === "ArrowUp") return this.#move_focus(event, -1);
    if (!this.#single_keys) return;
    if (event.key === "/") {
      event.preventDefault();
      this.#app.search_box.focus();
    } else if (event.key === "j") this.#move_focus(event, 1);
    else if (event.key === "k") this.#move_focus(event, -1);
    else if (event.key === "?") {
      event.preventDefault();
      this.#app.panels.help.open();
    }
  }

  #on_escape(event, typing) {
    if (typing) {
      event.preventDefault();  // some browsers would clear the field
      event.target.blur();
      return;
    }
    const { view } = this.#app.navigation.route;
    if (view === "home") return;
    event.preventDefault();
    if (this.#app.navigation.can_go_back) history.back();
    else void this.#app.navigation.go({ view: "home" });
  }

  /** Moves to the next or previous result; from the first one up to the search field. */
  #move_focus(event, by) {
    const results = visible_results();
    const at = results.indexOf(document.activeElement?.closest("[data-result]"));
    const next = results[at < 0 ? 0 : at + by];
    if (results.length === 0) return;
    event.preventDefault();
    if (next !== undefined) next.focus();
    else if (by < 0 && event.key === "ArrowUp") this.#app.search_box.focus();
  }
}

/** @returns {HTMLElement[]} */
export function visible_results() {
  return [...document.querySelectorAll("main [data-result]")];
}
