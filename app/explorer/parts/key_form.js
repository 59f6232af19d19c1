// SPDX-License-Identifier: Apache-2.0
// Form for a key. The input is not sent until it is a complete key.

import { h } from "../dom.js";
import { is_valid_key } from "../key.js";
import { T } from "../texts.js";

let forms = 0;

/**
 * @param {import("../main.js").App} app
 * @param {() => void} on_accepted called when a key was accepted
 */
export function key_form(app, on_accepted) {
  const name = `key-${++forms}`;
  const field = h("input", {
    id: name, type: "password", autocomplete: "off", spellcheck: "false", autocapitalize: "off", maxlength: 100,
    "aria-describedby": `${name}-error`, required: true });
  const show_key = h("input", { type: "checkbox" });
  const remember = h("input", { type: "checkbox" });
  const error = h("p", { id: `${name}-error`, class: "wrong", "aria-live": "polite" });
  show_key.addEventListener("change", () => { field.type = show_key.checked ? "text" : "password"; });
  field.addEventListener("input", () => {
    field.removeAttribute("aria-invalid");
    error.textContent = "";
  });
  return h("form", {
    class: "key-form", novalidate: true,
    onsubmit: (event) => {
      event.preventDefault();
      const key = field.value.trim();
      if (!is_valid_key(key)) {
        field.setAttribute("aria-invalid", "true");
        error.textContent = T.key_not_whole;
        field.focus();
        return;
      }
      field.value = "";
      app.use_key(key, remember.checked);
      on_accepted();
    } },
    h("label", { for: name }, T.key_label), field, error,
    h("p", { class: "choices" }, h("label", {}, show_key, " ", T.key_show), h("label", {}, remember, " ", T.key_remember)),
    h("button", { type: "submit", class: "main" }, T.key_use));
}
