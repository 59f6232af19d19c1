// SPDX-License-Identifier: Apache-2.0
// Remaining quota: two small meters with texts.

import { fill, h } from "../dom.js";
import { duration } from "../format.js";
import { T } from "../texts.js";

/** @typedef {import("../quota.js").Window} Window */

/** @param {Window} window */
function meter({ remaining, limit }) {
  const bar = h("span", { class: "meter-bar" });
  bar.style.inlineSize = `${limit === 0 ? 0 : Math.round((remaining / limit) * 100)}%`;
  const low = remaining === 0 ? "empty" : remaining < limit / 5 ? "low" : "";
  return h("span", { class: `meter ${low}`, "aria-hidden": "true" }, bar);
}

/** @param {Window} window */
const line = ({ remaining, limit, name }) => T.quota_line(remaining, limit, T.window_name(name));

/** @param {Window[] | null} windows @returns {import("../dom.js").Child[]} */
export function quota_lines(windows) {
  if (windows === null) return [h("p", {}, T.quota_unknown)];
  if (windows.length === 0) return [h("p", {}, T.quota_none)];
  return [h("ul", { class: "quota" }, windows.map((window) => h(
    "li", {}, meter(window), h("span", {}, `${line(window)} ${T.quota_left}`,
    window.remaining < window.limit && h("span", { class: "fine" }, `, ${(window.seconds > 3600 ? T.quota_resets_in : T.quota_more_in)(duration(window.resets))}`)))))];
}

/**
 * A button that shows the quota and opens the panel with the key.
 * @param {import("../main.js").App} app
 */
export function quota_button(app) {
  const button = h("button", { type: "button", class: "tool quota-button", onclick: () => app.panels.key.open() });
  let shown = "";
  const show = () => {
    const windows = app.api.windows;
    const least = windows?.reduce((a, b) => (b.remaining < a.remaining ? b : a), windows[0]);
    const words = least !== undefined ? T.quota_short(least.remaining) : windows === null ? "" : T.quota_unlimited;
    const title = [T.quota_button, ...(windows ?? []).map(line)].join(" · ");
    if (title + words === shown) return;
    shown = title + words;
    fill(button, h("span", { class: "meters" }, windows?.map(meter) ?? []), h("span", { class: "words" }, words || T.quota_button));
    button.title = title;
    button.setAttribute("aria-label", words === "" ? title : `${words}. ${title}`);
  };
  app.api.on_quota(show);
  setInterval(() => document.hidden || show(), 2000);
  show();
  return button;
}
