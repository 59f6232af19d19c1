// SPDX-License-Identifier: Apache-2.0
// The page of an operation of the API: samples in one language at a time, and a form that sends the request.

const kKey = "kbase-key";            // of this tab
const kLanguageKey = "kbase-sample";  // of this browser
const kMostText = 200_000;            // characters of a response that are shown

const stored_key = () => sessionStorage.getItem(kKey) ?? "";

/** @param {Document} page */
export function watch_reference(page) {
  const samples = page.querySelector(".samples");
  if (samples instanceof HTMLElement) show_tabs(samples);
  const form = page.querySelector("form.send");
  if (form instanceof HTMLFormElement) watch_form(form, samples);
  const key = page.querySelector("form.key");
  if (key instanceof HTMLFormElement) watch_key(key, form instanceof HTMLFormElement ? form.dataset.base ?? "" : "");
}

/** @param {HTMLElement} samples */
function show_tabs(samples) {
  if (samples.querySelector("[role=tablist]")) return;
  const sections = /** @type {HTMLElement[]} */ ([...samples.querySelectorAll("section")]);
  const list = document.createElement("div");
  list.setAttribute("role", "tablist");
  list.setAttribute("aria-label", "Language of the sample");
  /** @type {HTMLButtonElement[]} */
  const tabs = sections.map((section, number) => {
    const tab = document.createElement("button");
    tab.type = "button";
    tab.id = `sample-tab-${number}`;
    tab.setAttribute("role", "tab");
    tab.textContent = section.dataset.language ?? "";
    section.id = `sample-${number}`;
    section.setAttribute("role", "tabpanel");
    section.setAttribute("aria-labelledby", tab.id);
    tab.setAttribute("aria-controls", section.id);
    tab.addEventListener("click", () => choose(number));
    return tab;
  });
  /** @param {number} chosen */
  const choose = (chosen) => {
    sections.forEach((section, number) => { section.hidden = number !== chosen; });
    tabs.forEach((tab, number) => {
      tab.setAttribute("aria-selected", String(number === chosen));
      tab.tabIndex = number === chosen ? 0 : -1;
    });
    localStorage.setItem(kLanguageKey, sections[chosen]?.dataset.language ?? "");
  };
  list.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    const next = (tabs.findIndex((tab) => tab === document.activeElement) + step + tabs.length) % tabs.length;
    choose(next);
    tabs[next]?.focus();
  });
  list.append(...tabs);
  samples.prepend(list);
  choose(Math.max(0, sections.findIndex((section) => section.dataset.language === localStorage.getItem(kLanguageKey))));
}

/** @param {HTMLFormElement} form @returns {string} the address that the fields of the form make */
function address_of(form) {
  let path = form.dataset.path ?? "";
  const query = new URLSearchParams();
  for (const field of form.querySelectorAll("input")) {
    if (field.dataset.place === "path") path = path.replace(`{${field.name}}`, encodeURIComponent(field.value));
    else if (field.value !== "") query.append(field.name, field.value);
  }
  const text = query.toString();
  return location.origin + form.dataset.base + path + (text === "" ? "" : `?${text}`);
}

/** @param {HTMLFormElement} form @param {Element | null} samples */
function watch_form(form, samples) {
  form.hidden = false;
  form.addEventListener("input", () => {
    for (const section of /** @type {HTMLElement[]} */ ([...(samples?.querySelectorAll("section") ?? [])])) {
      const code = section.querySelector("code");
      const address = address_of(form).replaceAll("'", "%27");
      if (code === null) continue;
      code.textContent = (code.textContent ?? "").replace(section.dataset.address ?? "", () => address);
      section.dataset.address = address;
    }
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void send(form);
  });
}

/** @param {HTMLFormElement} form */
async function send(form) {
  const place = form.querySelector(".response");
  if (place === null) return;
  const field = form.querySelector("textarea");
  const body = field?.value;
  /** @type {Record<string, string>} */
  const headers = {};
  if (stored_key() !== "") headers.Authorization = `Bearer ${stored_key()}`;
  if (field !== null) headers["Content-Type"] = field.dataset.type ?? "application/json";
  const status = document.createElement("p");
  const block = document.createElement("pre");
  block.tabIndex = 0;
  const begun = performance.now();
  try {
    const response = await fetch(address_of(form), { method: form.dataset.method, headers, body });
    const text = await response.text();
    const left = response.headers.get("X-RateLimit-Remaining");
    const of_all = response.headers.get("X-RateLimit-Limit");
    const quota = left === null ? "" : ` · ${left} of ${of_all} requests left`;
    status.textContent = `${response.status} · ${Math.round(performance.now() - begun)} ms${quota}`;
    const code = document.createElement("code");
    code.textContent = as_shown(text);
    block.append(code);
  } catch {
    status.textContent = "The server does not answer.";
  }
  place.replaceChildren(status, ...(block.childElementCount > 0 ? [block] : []));
}

/** @param {string} text */
function as_shown(text) {
  let shown = text;
  try {
    shown = JSON.stringify(JSON.parse(text), null, 2);
  } catch { /* a stream of events is shown as it came */ }
  return shown.length > kMostText ? `${shown.slice(0, kMostText)}…` : shown;
}

/** @param {HTMLFormElement} form @param {string} base of the API */
function watch_key(form, base) {
  const field = /** @type {HTMLInputElement} */ (form.querySelector("input"));
  const forget = /** @type {HTMLButtonElement} */ (form.querySelector(".forget"));
  const status = /** @type {HTMLElement} */ (form.querySelector("[role=status]"));
  const show = (words = "") => {
    const has_key = stored_key() !== "";
    forget.hidden = !has_key;
    status.textContent = words || (has_key ? "Send uses your key, until this tab is closed." : "Send uses no key.");
  };
  form.hidden = false;
  show();
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const key = field.value.trim();
    if (key === "") return;
    try {
      const response = await fetch(`${base}/recent?limit=1&fields=id`, { headers: { Authorization: `Bearer ${key}` } });
      if (response.status === 401) return show("The server does not accept this key.");
      sessionStorage.setItem(kKey, key);
      field.value = "";
      show();
    } catch {
      show("The server does not answer.");
    }
  });
  forget.addEventListener("click", () => {
    sessionStorage.removeItem(kKey);
    show();
  });
}
