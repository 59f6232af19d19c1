// SPDX-License-Identifier: Apache-2.0
// Suggestions below the search field: a combobox with a list, as ARIA specifies. Requested only if the plan has
// enough requests.

import { fill, h, own } from "./dom.js";
import { T } from "./texts.js";

const kPause = 150;  // milliseconds; longer than the search's pause, because the search matters more
const kMaxCount = 6;

/** @typedef {{ text: string, kind: string, id?: string }} Suggestion */

export class Suggestions {
  #field;
  #app;
  #choose;
  #timer = 0;
  #shown = [];
  #selected = -1;

  /** @param {HTMLInputElement} field @param {import("./main.js").App} app @param {(chosen: Suggestion) => void} choose */
  constructor(field, app, choose) {
    this.#field = field;
    this.#app = app;
    this.#choose = choose;
    this.list = h("ul", { id: "suggestions", role: "listbox", class: "suggestions", "aria-label": T.suggestions, hidden: true });
    for (const [name, value] of Object.entries({ role: "combobox", "aria-expanded": "false", "aria-autocomplete": "list",
                                                 "aria-controls": "suggestions", "aria-haspopup": "listbox" })) {
      field.setAttribute(name, value);
    }
    field.addEventListener("blur", () => this.close());
  }

  on_input() {
    clearTimeout(this.#timer);
    if (!this.#app.api.has_spare_requests) {
      this.close();
      return;
    }
    this.#timer = window.setTimeout(() => void this.#request(this.#field.value), kPause);
  }

  close() {
    clearTimeout(this.#timer);
    this.#app.api.cancel("suggest");
    this.#show([]);
  }

  /** @param {KeyboardEvent} event @returns {boolean} whether the list handled it */
  on_keydown(event) {
    if (this.#shown.length === 0) return false;
    if (event.key === "Escape") this.close();
    else if (event.key === "ArrowDown") this.#move(this.#selected + 1);
    else if (event.key === "ArrowUp") this.#move(this.#selected - 1);
    else if (event.key === "Enter" && this.#selected >= 0) this.#choose_at(this.#selected);
    else return false;
    event.preventDefault();
    return true;
  }

  async #request(q) {
    try {
      const { body } = await this.#app.api.get("/suggest", { q: q.trim() }, { channel: "suggest" });
      if (this.#field.value === q && document.activeElement === this.#field) this.#show(to_suggestions(body?.data, q));
    } catch {
      this.#show([]);
    }
  }

  #show(found) {
    this.#shown = found;
    this.#selected = -1;
    this.list.hidden = found.length === 0;
    this.#field.setAttribute("aria-expanded", String(found.length > 0));
    this.#field.removeAttribute("aria-activedescendant");
    fill(this.list, found.map(({ text, kind }, at) => h(
      "li", { id: `suggestion-${at}`, role: "option", "aria-selected": "false", dir: "auto",
              onpointerdown: (event) => event.preventDefault(),  // keeps the focus in the field
              onclick: () => this.#choose_at(at) },
      own(text), kind === "title" && h("span", { class: "fine" }, ` ${T.suggestion_title}`))));
    this.#app.announcer.announce(found.length > 0 ? T.suggestions_found(found.length) : "", "suggestions");
  }

  #move(to) {
    const count = this.#shown.length;
    this.#selected = to < -1 ? count - 1 : to >= count ? -1 : to;
    [...this.list.children].forEach((option, at) => option.setAttribute("aria-selected", String(at === this.#selected)));
    if (this.#selected < 0) this.#field.removeAttribute("aria-activedescendant");
    else this.#field.setAttribute("aria-activedescendant", `suggestion-${this.#selected}`);
  }

  #choose_at(at) {
    const chosen = this.#shown[at];
    this.close();
    this.#choose(chosen);
  }
}

/** @param {any} data @param {string} q @returns {Suggestion[]} without the typed text itself */
function to_suggestions(data, q) {
  if (!Array.isArray(data)) return [];
  return data.filter(({ text, id }) => typeof text === "string" && (id !== undefined || text !== q.trim())).slice(0, kMaxCount);
}
