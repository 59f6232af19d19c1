// SPDX-License-Identifier: Apache-2.0
// Color scheme switch: device, light, dark. before_drawing.js applies the choice at the next load.

import { fill, h, icon } from "./dom.js";
import { device } from "./settings.js";
import { T } from "./texts.js";

const kNext = { auto: "light", light: "dark", dark: "auto" };

/** @returns {HTMLElement} */
export function theme_switch() {
  const root = document.documentElement;
  const button = h("button", { type: "button", class: "tool" });
  const show = () => {
    const theme = root.dataset.theme ?? "auto";
    fill(button, icon(theme), h("span", { class: "hidden" }, T.theme[theme]));
    button.title = T.theme[theme];
  };
  button.addEventListener("click", () => {
    const next = kNext[root.dataset.theme ?? "auto"];
    if (next === "auto") {
      delete root.dataset.theme;
      device.remove("kbase-theme");
    } else {
      root.dataset.theme = next;
      device.set("kbase-theme", next);
    }
    show();
  });
  show();
  return button;
}
