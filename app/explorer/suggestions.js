// SPDX-License-Identifier: Apache-2.0
// Suggestions below the search field: a combobox with a list, as ARIA specifies. Requested only if the plan has
// enough requests.

import { fill, h, own } from "./dom.js";
import { T } from "./texts.js";

const kPause = 150;  // milliseconds; longer than the search's pause, because the search matters more
const kMost = 6;

/** @typedef {{ text: string, kind: string, id?: string }} Suggestion */

export class Suggestions {
  #field;
  #app;
  #choose;
  #timer = 0;
  #found = [];
  #at = -1;

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

  typed() {
    clearTimeout(this.#timer);
    if (!this.#app.api.has_room) {
      this.close();
      return;
    }
    this.#timer = window.setTimeout(() => void this.#ask(this.#field.value), kPause);
  }

  close() {
    clearTimeout(this.#timer);
    this.#app.api.cancel("suggest");
    this.#show([]);
  }

  /** @param {KeyboardEvent} event @returns {boolean} whether the list handled it */
  pressed(event) {
    if (this.#found.length === 0) return false;
    if (event.key === "Escape") this.close();
    else if (event.key === "ArrowDown") this.#move(this.#at + 1);
    else if (event.key === "ArrowUp") this.#move(this.#at - 1);
    else if (event.key === "Enter" && this.#at >= 0) this.#take(this.#at);
    else return false;
    event.preventDefault();
    return true;
  }

  async #ask(q) {
    try {
      const { body } = await this.#app.api.get("/suggest", { q: q.trim() }, { channel: "suggest" });
      if (this.#field.value === q && document.activeElement === this.#field) this.#show(readable(body?.data, q));
    } catch {
      this.#show([]);
    }
  }

  #show(found) {
    this.#found = found;
    this.#at = -1;
    this.list.hidden = found.length === 0;
    this.#field.setAttribute("aria-expanded", String(found.length > 0));
    this.#field.removeAttribute("aria-activedescendant");
    fill(this.list, found.map(({ text, kind }, at) => h(
      "li", { id: `suggestion-${at}`, role: "option", "aria-selected": "false", dir: "auto",
              onpointerdown: (event) => event.preventDefault(),  // keeps the focus in the field
              onclick: () => this.#take(at) },
      own(text), kind === "title" && h("span", { class: "fine" }, ` ${T.suggestion_title}`))));
    this.#app.announcer.say(found.length > 0 ? T.suggestions_found(found.length) : "", "suggestions");
  }

  #move(to) {
    const count = this.#found.length;
    this.#at = to < -1 ? count - 1 : to >= count ? -1 : to;
    [...this.list.children].forEach((option, at) => option.setAttribute("aria-selected", String(at === this.#at)));
    if (this.#at < 0) this.#field.removeAttribute("aria-activedescendant");
    else this.#field.setAttribute("aria-activedescendant", `suggestion-${this.#at}`);
  }

  #take(at) {
    const chosen = this.#found[at];
    this.close();
    this.#choose(chosen);
  }
}

/** @param {any} data @param {string} q @returns {Suggestion[]} without the typed text itself */
function readable(data, q) {
  if (!Array.isArray(data)) return [];
  return data.filter(({ text, id }) => typeof text === "string" && (id !== undefined || text !== q.trim())).slice(0, kMost);
}
