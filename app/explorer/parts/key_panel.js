// SPDX-License-Identifier: Apache-2.0
// The visitor's key and the remaining quota.

import { fill, h } from "../dom.js";
import { T } from "../texts.js";
import { key_form } from "./key_form.js";
import { panel } from "./panel.js";
import { quota_lines } from "./quota_meter.js";

/** @param {import("../main.js").App} app */
export function key_panel(app) {
  const quota = h("div");
  const status = h("p", { role: "status" });
  const key = h("div");

  const show_quota = () => fill(quota, quota_lines(app.api.windows));
  const show_key = () => {
    if (app.keys.value === "") {
      fill(key, h("p", {}, T.key_text), key_form(app, () => {
        status.textContent = T.key_taken;
        show_key();
        key.querySelector("button")?.focus();
        void app.navigation.again();
      }));
      return;
    }
    fill(key, h("p", {}, app.keys.remembered ? T.key_kept_device : T.key_kept_session),
         h("button", { type: "button", onclick: () => {
           app.forget_key();
           status.textContent = T.key_forgotten;
           show_key();
           key.querySelector("input")?.focus();
         } }, T.key_forget));
  };

  const it = panel(T.quota_button, () => {
    status.textContent = "";
    show_key();
    show_quota();
    return [h("h3", {}, T.quota_title), quota, h("h3", {}, T.key_title), key, status];
  });
  app.api.on_quota(() => it.is_open && show_quota());
  setInterval(() => it.is_open && show_quota(), 1000);
  return it;
}
