// SPDX-License-Identifier: Apache-2.0
// List of keyboard shortcuts. Single-key shortcuts can be disabled, for users of speech input (WCAG 2.1.4).

import { h } from "../dom.js";
import { T } from "../texts.js";
import { panel } from "./panel.js";

/** @param {{ single_keys: boolean }} keyboard */
export function help_panel(keyboard) {
  return panel(T.help_title, () => {
    const box = h("input", { type: "checkbox" });
    box.checked = keyboard.single_keys;
    box.addEventListener("change", () => { keyboard.single_keys = box.checked; });
    return [h("dl", { class: "keys" }, T.help.map(([keys, description]) => h(
              "div", {}, h("dt", {}, keys.split("  ").map((key) => h("kbd", {}, key))), h("dd", {}, description)))),
            h("p", {}, h("label", {}, box, " ", T.help_keys))];
  });
}
