// SPDX-License-Identifier: Apache-2.0
// Form for a key. The input is not sent until it is a complete key.

import { h } from "../dom.js";
import { is_whole_key } from "../key.js";
import { T } from "../texts.js";

let forms = 0;

/**
 * @param {import("../main.js").App} app
 * @param {() => void} taken called when a key was accepted
 */
export function key_form(app, taken) {
  const name = `key-${++forms}`;
  const field = h("input", {
    id: name, type: "password", autocomplete: "off", spellcheck: "false", autocapitalize: "off", maxlength: 100,
    "aria-describedby": `${name}-said`, required: true });
  const shown = h("input", { type: "checkbox" });
  const remember = h("input", { type: "checkbox" });
  const said = h("p", { id: `${name}-said`, class: "wrong", "aria-live": "polite" });
  shown.addEventListener("change", () => { field.type = shown.checked ? "text" : "password"; });
  field.addEventListener("input", () => {
    field.removeAttribute("aria-invalid");
    said.textContent = "";
  });
  return h("form", {
    class: "key-form", novalidate: true,
    onsubmit: (event) => {
      event.preventDefault();
      const key = field.value.trim();
      if (!is_whole_key(key)) {
        field.setAttribute("aria-invalid", "true");
        said.textContent = T.key_not_whole;
        field.focus();
        return;
      }
      field.value = "";
      app.use_key(key, remember.checked);
      taken();
    } },
    h("label", { for: name }, T.key_label), field, said,
    h("p", { class: "choices" }, h("label", {}, shown, " ", T.key_show), h("label", {}, remember, " ", T.key_remember)),
    h("button", { type: "submit", class: "main" }, T.key_use));
}
