// SPDX-License-Identifier: Apache-2.0
// The search that "/" and Ctrl-K or Cmd-K open anywhere. One request for each pause in typing; none that a query
// without results begins.

import { show } from "./navigation.js";

const kPause = 120;  // milliseconds without a key
const kShortest = 2;  // characters of a query
const kRecentKey = "kbase-recent";
const kMostRecent = 5;

/** @returns {string[]} */
function recent_searches() {
  try {
    const kept = JSON.parse(localStorage.getItem(kRecentKey) ?? "[]");
    return Array.isArray(kept) ? kept.filter((each) => typeof each === "string").slice(0, kMostRecent) : [];
  } catch {
    return [];
  }
}

/** @param {string} q */
function keep_search(q) {
  const others = recent_searches().filter((each) => each !== q);
  try {
    localStorage.setItem(kRecentKey, JSON.stringify([q, ...others].slice(0, kMostRecent)));
  } catch { /* the browser keeps nothing */ }
}

class SearchDialog {
  #dialog = document.createElement("dialog");
  #field = document.createElement("input");
  #list = document.createElement("div");
  /** @type {number | undefined} */
  #timer;
  /** @type {AbortController | null} */
  #running = null;
  #empty = "";  // the shortest query that had no result

  constructor() {
    this.#dialog.className = "search-dialog";
    this.#dialog.setAttribute("aria-label", "Search");
    this.#field.type = "search";
    this.#field.maxLength = 512;
    this.#field.setAttribute("aria-label", "Search");
    this.#field.setAttribute("role", "combobox");
    this.#field.setAttribute("aria-expanded", "true");
    this.#field.setAttribute("aria-controls", "search-dialog-list");
    this.#field.placeholder = "Search";
    this.#field.autocomplete = "off";
    this.#list.id = "search-dialog-list";
    this.#dialog.append(this.#field, this.#list);
    document.body.append(this.#dialog);
    this.#field.addEventListener("input", () => this.#typed());
    this.#dialog.addEventListener("keydown", (event) => this.#key(event));
    this.#dialog.addEventListener("click", (event) => this.#click(event));
  }

  open() {
    if (this.#dialog.open) return;
    this.#field.value = "";
    this.#show_recent();
    this.#dialog.showModal();
    this.#field.focus();
  }

  #show_recent() {
    const list = document.createElement("ul");
    list.className = "suggestions";
    for (const q of recent_searches()) {
      const link = document.createElement("a");
      link.href = `/search?q=${encodeURIComponent(q)}`;
      link.textContent = q;
      const row = document.createElement("li");
      row.append(link);
      list.append(row);
    }
    this.#list.replaceChildren(list);
  }

  #typed() {
    clearTimeout(this.#timer);
    const q = this.#field.value.trim();
    if (q === "") {
      this.#running?.abort();
      return this.#show_recent();
    }
    if ([...q].length < kShortest) {
      this.#running?.abort();
      return this.#list.replaceChildren();
    }
    if (this.#empty !== "" && q.startsWith(this.#empty)) return;
    this.#timer = setTimeout(() => void this.#ask(q), kPause);
  }

  /** @param {string} q */
  async #ask(q) {
    this.#running?.abort();
    this.#running = new AbortController();
    try {
      const reply = await fetch(`/search?typed=true&q=${encodeURIComponent(q)}`, { signal: this.#running.signal });
      const part = new DOMParser().parseFromString(await reply.text(), "text/html");
      if (this.#field.value.trim() !== q) return;
      const main = part.querySelector("main");
      this.#list.replaceChildren(...(main ?? part.body).children);
      this.#empty = reply.ok && this.#links().length === 0 ? q : "";
    } catch (error) {
      if (!(error instanceof DOMException && error.name === "AbortError")) this.#list.textContent = "The site does not answer.";
    }
  }

  #links() {
    return /** @type {HTMLAnchorElement[]} */ ([...this.#list.querySelectorAll("a[href]")]);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.isComposing) return;
    const links = this.#links();
    const at = links.findIndex((link) => link === document.activeElement);
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const next = at + (event.key === "ArrowDown" ? 1 : -1);
      if (next < 0) this.#field.focus();
      else links[Math.min(next, links.length - 1)]?.focus();
    } else if (event.key === "Enter" && document.activeElement === this.#field) {
      event.preventDefault();
      const q = this.#field.value.trim();
      if (q !== "") this.#go(`/search?q=${encodeURIComponent(q)}`, q);
    }
  }

  /** @param {MouseEvent} event */
  #click(event) {
    if (event.target === this.#dialog) return this.#dialog.close();
    const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
    if (!(link instanceof HTMLAnchorElement) || event.metaKey || event.ctrlKey) return;
    event.preventDefault();
    this.#go(link.href, this.#field.value.trim());
  }

  /** @param {string} address @param {string} q */
  #go(address, q) {
    if (q !== "") keep_search(q);
    this.#dialog.close();
    void show(address);
  }
}

export function start_dialog() {
  const dialog = new SearchDialog();
  document.addEventListener("keydown", (event) => {
    const is_typing = event.target instanceof Element && event.target.closest("input, textarea, select, [contenteditable]");
    const is_command = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey);
    if (!is_command && (event.key !== "/" || is_typing || event.ctrlKey || event.metaKey || event.altKey)) return;
    event.preventDefault();
    dialog.open();
  });
}
