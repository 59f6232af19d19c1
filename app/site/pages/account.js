// SPDX-License-Identifier: Apache-2.0
// The pages of an account. They show what the API reports, with the cookie of the session, which no script can read.

import { call } from "./api.js";

const kDays = 30;

/**
 * @typedef {{limit: number | null, remaining?: number}} Window
 * @typedef {{id: string, name: string, created: string, active: boolean, last_used: string | null,
 *   requests: {day: string, requests: number}[], limits: {minute: Window, day: Window}}} Key
 */

/** @param {HTMLElement} page */
export function show_account(page) {
  const base = page.dataset.base ?? "";
  const confirming = page.querySelector(".confirming");
  if (confirming instanceof HTMLElement) watch_confirmation(confirming, base);
  else new AccountPage(page, base).show();
}

/** @param {HTMLElement} place @param {string} base */
function watch_confirmation(place, base) {
  const status = find(place, ".status");
  const button = /** @type {HTMLButtonElement} */ (find(place, ".sign-in"));
  const token = location.hash.slice(1);
  const fail = (/** @type {string} */ words) => {
    status.textContent = words;
    find(place, ".again").hidden = false;
    button.hidden = true;
  };
  if (token === "") return fail("This address is not complete. Follow the link in your mail.");
  // A program that checks the links in mails must not use them up, so a person has to press the button.
  status.textContent = "Press the button to sign in with this browser.";
  button.hidden = false;
  button.addEventListener("click", async () => {
    button.disabled = true;
    const { status: code, problem } = await call(base, "POST", "/sessions/confirm", { token });
    button.disabled = false;
    if (code === 200) return location.replace("/account");
    if (code === 0) { status.textContent = problem; return undefined; }
    return fail(problem);
  });
  return undefined;
}

/** @param {ParentNode} place @param {string} selector */
function find(place, selector) {
  return /** @type {HTMLElement} */ (place.querySelector(selector));
}

/** @param {string} name @param {string} text @param {string} [kind] */
function element(name, text, kind = "") {
  const made = document.createElement(name);
  made.textContent = text;
  if (kind !== "") made.className = kind;
  return made;
}

/** @param {string} text @param {() => void} act @param {string} [kind] */
function button(text, act, kind = "") {
  const made = /** @type {HTMLButtonElement} */ (element("button", text, kind));
  made.type = "button";
  made.addEventListener("click", act);
  return made;
}

/** @param {number} count */
const with_commas = (count) => count.toLocaleString(document.documentElement.lang || "en");

/** @param {Window} window @param {string} span */
function left_in(window, span) {
  if (window.limit === null) return `no limit ${span}`;
  const limit = with_commas(window.limit);
  return window.remaining === undefined ? `${limit} ${span}` : `${with_commas(window.remaining)} of ${limit} left ${span}`;
}

/** A bar for each day, and the numbers in words. @param {Key} key */
function chart_of(key) {
  const most = Math.max(1, ...key.requests.map((day) => day.requests));
  const sum = key.requests.reduce((all, day) => all + day.requests, 0);
  const kSpace = "http://www.w3.org/2000/svg";
  const chart = document.createElementNS(kSpace, "svg");
  chart.setAttribute("viewBox", `0 0 ${kDays * 10} 60`);
  chart.setAttribute("class", "chart");
  chart.setAttribute("role", "img");
  chart.setAttribute("aria-label", `${with_commas(sum)} requests in the last ${kDays} days`);
  key.requests.forEach((day, place) => {
    const height = day.requests === 0 ? 1 : 3 + (day.requests / most) * 55;
    const bar = document.createElementNS(kSpace, "rect");
    bar.setAttribute("x", String(place * 10 + 1));
    bar.setAttribute("y", String(60 - height));
    bar.setAttribute("width", "8");
    bar.setAttribute("height", String(height));
    const title = document.createElementNS(kSpace, "title");
    title.textContent = `${day.day}: ${with_commas(day.requests)}`;
    bar.append(title);
    chart.append(bar);
  });
  return { chart, sum };
}

class AccountPage {
  #page;
  #base;

  /** @param {HTMLElement} page @param {string} base */
  constructor(page, base) {
    this.#page = page;
    this.#base = base;
    this.#watch_forms();
  }

  async show() {
    const { status, data, problem } = await call(this.#base, "GET", "/account");
    const is_in = status === 200;
    find(this.#page, ".signing").hidden = is_in;
    find(this.#page, ".signed-in").hidden = !is_in;
    if (is_in) return this.#show_account(data);
    if (status !== 401) find(this.#page, ".signing .status").textContent = problem;
    return undefined;
  }

  /** @param {{email: string, plan: string, state: string, keys: Key[]}} account */
  #show_account(account) {
    find(this.#page, ".email").textContent = account.email;
    find(this.#page, ".plan").textContent = `plan ${account.plan}`;
    find(this.#page, ".pending").hidden = account.state !== "pending";
    const keys = account.keys.map((key) => this.#row_of(key));
    find(this.#page, ".keys").replaceChildren(...(keys.length > 0 ? keys : [element("li", "You have no key.", "none")]));
  }

  /** @param {Key} key */
  #row_of(key) {
    const { chart, sum } = chart_of(key);
    const row = element("li", "");
    const head = element("p", "", "head");
    head.append(element("strong", key.name), " ", element("code", key.id));
    const used = key.last_used === null ? "never used" : `last used ${key.last_used}`;
    const about = [`created ${key.created.slice(0, 10)}`, used, `${with_commas(sum)} requests in ${kDays} days`];
    const left = [left_in(key.limits.minute, "in this minute"), left_in(key.limits.day, "today")];
    row.append(head, element("p", about.join(" · "), "fine"), chart, element("p", left.join(" · "), "fine"));
    const rotate = () => this.#ask(`Replace the text of “${key.name}”? The old text works for another day.`, "Replace",
      async () => this.#show_key(await call(this.#base, "POST", `/account/keys/${key.id}/rotate`)));
    const remove = () => this.#ask(`Delete “${key.name}”? It ends at once.`, "Delete",
      async () => this.#report(await call(this.#base, "DELETE", `/account/keys/${key.id}`)));
    const actions = element("p", "", "actions");
    actions.append(button("Replace", rotate), " ", button("Delete", remove, "danger"));
    row.append(actions);
    return row;
  }

  #watch_forms() {
    const mail = /** @type {HTMLFormElement} */ (find(this.#page, "form.mail"));
    mail.addEventListener("submit", async (event) => {
      event.preventDefault();
      const email = String(new FormData(mail).get("email"));
      const { status, problem } = await call(this.#base, "POST", "/accounts", { email });
      const place = find(this.#page, ".signing .status");
      place.textContent = status === 202
        ? `Check your mail: a link is on its way to ${email}. It works once, within 30 minutes of being sent.` : problem;
    });
    const create = /** @type {HTMLFormElement} */ (find(this.#page, "form.new-key"));
    create.addEventListener("submit", async (event) => {
      event.preventDefault();
      const name = String(new FormData(create).get("name"));
      const answer = await call(this.#base, "POST", "/account/keys", { name });
      if (answer.status === 201) create.reset();
      this.#show_key(answer);
    });
    for (const button of this.#page.querySelectorAll("button.sign-out"))
      button.addEventListener("click", async () => {
        await call(this.#base, "DELETE", button.getAttribute("value") ? "/sessions?everywhere=true" : "/sessions");
        this.#forget();
        void this.show();
      });
    find(this.#page, ".delete-account").addEventListener("click", () => this.#ask(
      "Delete your account? Your keys end at once, and your address is forgotten.", "Delete",
      async () => { this.#forget(); this.#report(await call(this.#base, "DELETE", "/account")); }));
    find(this.#page, ".copy").addEventListener("click", async () => {
      await navigator.clipboard.writeText(find(this.#page, ".secret code").textContent ?? "");
      find(this.#page, ".copy").textContent = "Copied";
    });
  }

  /** Shows the text of a key, once. @param {{status: number, data: any, problem: string}} answer */
  #show_key(answer) {
    if (answer.data?.key !== undefined) {
      find(this.#page, ".issued").hidden = false;
      find(this.#page, ".secret code").textContent = answer.data.key;
      find(this.#page, ".copy").textContent = "Copy";
    }
    this.#report(answer);
  }

  #forget() {
    find(this.#page, ".issued").hidden = true;
    find(this.#page, ".secret code").textContent = "";
  }

  /** @param {{status: number, problem: string}} answer */
  #report(answer) {
    find(this.#page, ".signed-in .status").textContent = answer.status >= 200 && answer.status < 300 ? "" : answer.problem;
    void this.show();
  }

  /** @param {string} question @param {string} yes @param {() => void} act */
  #ask(question, yes, act) {
    const dialog = /** @type {HTMLDialogElement} */ (find(this.#page, "dialog.confirm"));
    find(dialog, ".question").textContent = question;
    find(dialog, "[value=yes]").textContent = yes;
    dialog.returnValue = "no";
    dialog.addEventListener("close", () => { if (dialog.returnValue === "yes") act(); }, { once: true });
    dialog.showModal();
  }
}
