// SPDX-License-Identifier: Apache-2.0
// Shown instead of a view that failed: the reason, and what the visitor can do.

import { fill, h } from "../dom.js";
import { describe_error } from "../errors.js";
import { clock, duration } from "../format.js";
import { format_route } from "../router.js";
import { T } from "../texts.js";
import { key_form } from "./key_form.js";

/**
 * @param {import("../errors.js").ApiError} error
 * @param {import("../main.js").App} app
 * @returns {import("../navigation.js").Shown}
 */
export function error_view(error, app) {
  const { title, text } = describe_error(error);
  const { route } = app.navigation;
  const node = h("section", { class: "problem" },
                 h("h1", {}, title),
                 h("p", {}, text),
                 error.status === 401 && key_form(app, () => void app.navigation.again()),
                 error.status === 401 && app.keys.value !== "" && h("p", {}, h("button", { type: "button", onclick: () => {
                   app.forget_key();
                   void app.navigation.again();
                 } }, T.go_on_without)),
                 error.status === 404 && h("p", {}, h("a", { href: "/" }, T.to_home)),
                 error.status === 501 && route.view === "search" && h("p", {}, h("a", { href: format_route({
                   ...route, tag: "", language: "", version: "", updated_from: "", updated_to: "", offset: 0 }) }, T.without_filters)),
                 retry_actions(error, app),
                 error.request_id !== "" && h("p", { class: "fine" }, `${T.request_id} `,
                                              h("code", {}, error.request_id)));
  if (error.kind === "unreachable") {
    addEventListener("online", () => node.isConnected && void app.navigation.again(), { once: true });
  }
  return { title, node, announce: `${title}. ${text}` };
}

/** @returns {import("../dom.js").Child} */
function retry_actions(error, app) {
  const reload = () => void app.navigation.again();
  const retry = h("button", { type: "button", onclick: reload }, T.retry);
  if ([400, 403, 404, 501].includes(error.status)) return null;
  if (error.retry_at === 0) return error.status === 401 ? null : h("p", {}, retry);
  return h("div", {}, wait_until(error.retry_at, reload),
           error.status === 429 && app.keys.value === "" &&
             h("p", {}, h("button", { type: "button", class: "plain", onclick: () => app.panels.key.open() }, T.enter_key)));
}

/**
 * Counts down to a time. The rejected request is then repeated only if the visitor chose this: the visitor may have
 * moved on, and the request is charged.
 * @param {number} time milliseconds since 1970
 * @param {() => void} action
 */
function wait_until(time, action) {
  const left = h("span", { class: "left" });
  const line = h("p", { class: "count" }, `${T.retry_at(clock(time))} `, left);
  const button = h("button", { type: "button" }, T.retry_then);
  let retry_requested = false;
  let over = false;
  button.addEventListener("click", () => {
    if (over) {
      action();
      return;
    }
    retry_requested = !retry_requested;
    button.setAttribute("aria-pressed", String(retry_requested));
    button.textContent = retry_requested ? T.retry_waiting : T.retry_then;
  });
  const box = h("div", {}, line, h("p", {}, button));
  const tick = () => {
    const seconds = (time - Date.now()) / 1000;
    if (seconds > 0) {
      left.textContent = `(${T.retry_in(duration(seconds))})`;
      return;
    }
    clearInterval(timer);
    over = true;
    if (retry_requested) {
      if (box.isConnected) action();
      return;
    }
    fill(line, T.retry_now);
    button.textContent = T.retry;
    button.removeAttribute("aria-pressed");
  };
  const timer = setInterval(() => (box.isConnected ? tick() : clearInterval(timer)), 500);
  queueMicrotask(tick);
  return box;
}
