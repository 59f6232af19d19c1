// SPDX-License-Identifier: Apache-2.0
// A search box for any site: <script src="https://KBASE/search.js" defer></script>. Ctrl-K, Cmd-K or "/" open it, and
// so does a click on an element with the attribute data-kbase-search. Attributes of the script:
//   data-api      base address of the API; default: that of the server of the script
//   data-key      API key; default: none, the plan of the site's origin applies
//   data-category, data-language, data-version   filters
//   data-label    text of the field; default: "Search"
// Colors and sizes are CSS variables of the page: --kbase-accent, --kbase-background, --kbase-text, --kbase-soft,
// --kbase-line, --kbase-mark, --kbase-font, --kbase-radius, --kbase-width.

import style from "./search.css";

const kBase = "__KBASE_BASE__";  // filled in by the server
const kPause = 120;  // milliseconds without a key
const kShortest = 2;  // characters of a query
const kHits = 8;

const script = /** @type {HTMLScriptElement | null} */ (document.currentScript);

/** @param {string} name @param {Record<string, string>} attributes @param {(Node | string)[]} content */
function element(name, attributes = {}, ...content) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...content);
  return made;
}

/** @param {{ text: string, match: boolean }[] | undefined} parts @param {string} plain */
function marked(parts, plain) {
  if (!Array.isArray(parts)) return [plain];
  return parts.map((part) => (part.match ? element("mark", {}, part.text) : part.text));
}

class SearchBox {
  #settings = script?.dataset ?? {};
  #origin = new URL(script?.src ?? location.href).origin;
  #host = element("kbase-search");
  #dialog = /** @type {HTMLDialogElement} */ (element("dialog", { "aria-label": this.#label() }));
  #field = /** @type {HTMLInputElement} */ (element("input", {
    type: "search", role: "combobox", "aria-expanded": "false", "aria-controls": "hits", "aria-autocomplete": "list",
    "aria-label": this.#label(), placeholder: this.#label(), autocomplete: "off", spellcheck: "false", maxlength: "512" }));
  #list = element("ul", { id: "hits", role: "listbox", "aria-label": "Results" });
  #status = element("p", { role: "status" });
  #shown = -1;  // the chosen row
  #empty = "";  // the shortest query without a result
  #search = "";  // id of the shown search, if the server counts what is read of results
  /** @type {number | undefined} */
  #timer;
  /** @type {AbortController | null} */
  #running = null;

  constructor() {
    const root = this.#host.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(style);
    root.adoptedStyleSheets = [sheet];
    this.#dialog.append(this.#field, this.#list, this.#status);
    root.append(this.#dialog);
    document.body.append(this.#host);
    this.#field.addEventListener("input", () => this.#typed());
    this.#field.addEventListener("keydown", (event) => this.#key(event));
    this.#dialog.addEventListener("click", (event) => { if (event.target === this.#dialog) this.#dialog.close(); });
    this.#dialog.addEventListener("close", () => this.#running?.abort());
  }

  #base() { return this.#settings.api ?? this.#origin + kBase; }

  #headers() {
    return this.#settings.key === undefined ? undefined : { Authorization: `Bearer ${this.#settings.key}` };
  }

  #label() { return this.#settings.label ?? "Search"; }

  open() {
    if (!this.#dialog.open) this.#dialog.showModal();
    this.#field.select();
  }

  #typed() {
    clearTimeout(this.#timer);
    const q = this.#field.value.trim();
    if ([...q].length < kShortest) return this.#show([], "");
    if (this.#empty !== "" && q.startsWith(this.#empty)) return;
    this.#timer = setTimeout(() => void this.#ask(q), kPause);
  }

  /** @param {string} q */
  async #ask(q) {
    this.#running?.abort();
    this.#running = new AbortController();
    const query = new URLSearchParams({ q, prefix: "last", limit: String(kHits), collapse: "title",
                                        fields: "id,title,category,url,section,title_parts,excerpt_parts" });
    for (const name of ["category", "language", "version"]) {
      const value = this.#settings[name];
      if (value !== undefined) query.set(name, value);
    }
    try {
      const reply = await fetch(`${this.#base()}/search?${query}`, { signal: this.#running.signal, headers: this.#headers() });
      if (this.#field.value.trim() !== q) return;
      if (reply.status === 429) return this.#show([], `Too many searches; try again in ${reply.headers.get("Retry-After")} s.`);
      const body = await reply.json();
      if (!reply.ok) return this.#show([], body.error?.message ?? "The search is not available now.");
      this.#empty = body.data.length === 0 ? q : "";
      this.#search = reply.headers.get("X-Search-Id") ?? "";
      this.#show(body.data, body.data.length === 0 ? "Nothing found." : `${body.pagination.total} results`);
    } catch (error) {
      if (!(error instanceof DOMException && error.name === "AbortError")) this.#show([], "The search does not answer.");
    }
  }

  /** @param {any[]} hits @param {string} status */
  #show(hits, status) {
    this.#shown = -1;
    this.#field.removeAttribute("aria-activedescendant");
    this.#field.setAttribute("aria-expanded", String(hits.length > 0));
    this.#status.textContent = status;
    this.#list.replaceChildren(...hits.map((hit, number) => {
      const section = hit.section?.heading;
      const link = element("a", { href: this.#address(hit), tabindex: "-1" },
                           element("strong", {}, ...marked(hit.title_parts, hit.title)),
                           ...(section && section !== hit.title ? [element("span", {}, section)] : []),
                           element("small", {}, ...marked(hit.excerpt_parts, "")));
      if (hit.url && this.#search) link.addEventListener("click", () => this.#report(hit.id));
      return element("li", { role: "option", id: `hit-${number}`, "aria-selected": "false" }, link);
    }));
  }

  /** Reports to the server that a result is read that is not on its site. @param {string} id */
  #report(id) {
    const address = `${this.#base()}/item/${encodeURIComponent(id)}?fields=id&from=search:${this.#search}`;
    void fetch(address, { headers: this.#headers(), keepalive: true });
  }

  /** @param {any} hit */
  #address(hit) {
    const anchor = hit.section?.anchor ? `#${encodeURIComponent(hit.section.anchor)}` : "";
    if (hit.url) return hit.url.split("#", 1)[0] + anchor;
    const from = this.#search ? `?from=search:${this.#search}` : "";
    return `${this.#origin}/item/${hit.id.split("/").map(encodeURIComponent).join("/")}${from}${anchor}`;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.isComposing) return;
    const rows = this.#list.children;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (rows.length === 0) return;
      rows[this.#shown]?.setAttribute("aria-selected", "false");
      const step = event.key === "ArrowDown" ? 1 : -1;
      this.#shown = (this.#shown + step + rows.length) % rows.length;
      const row = rows[this.#shown];
      row.setAttribute("aria-selected", "true");
      row.scrollIntoView({ block: "nearest" });
      this.#field.setAttribute("aria-activedescendant", row.id);
    } else if (event.key === "Enter") {
      const row = rows[Math.max(this.#shown, 0)];
      if (row !== undefined) row.querySelector("a")?.click();
    }
  }
}

/** @type {SearchBox | null} */
let box = null;
const open = () => (box ??= new SearchBox()).open();

document.addEventListener("keydown", (event) => {
  const is_typing = event.target instanceof Element && event.target.closest("input, textarea, select, [contenteditable]");
  const is_command = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey);
  if (!is_command && (event.key !== "/" || is_typing || event.ctrlKey || event.metaKey || event.altKey)) return;
  event.preventDefault();
  open();
});
document.addEventListener("click", (event) => {
  if (!(event.target instanceof Element) || event.target.closest("[data-kbase-search]") === null) return;
  event.preventDefault();
  open();
});
