// SPDX-License-Identifier: Apache-2.0
// Panel over the page. The browser's dialog element keeps the focus inside, closes on Esc, and returns the focus to
// the previous element if that is still in the page.

import { fill, h, icon } from "../dom.js";
import { T } from "../texts.js";

let panels = 0;

/**
 * @param {string} title
 * @param {() => import("../dom.js").Child[]} content called each time the panel opens
 * @returns {{ open(): void, readonly is_open: boolean }}
 */
export function panel(title, content) {
  const name = `panel-${++panels}`;
  const body = h("div", { class: "panel-body" });
  const dialog = h("dialog", { class: "panel", "aria-labelledby": name },
    h("div", { class: "panel-head" }, h("h2", { id: name }, title),
      h("button", { type: "button", class: "tool", onclick: () => dialog.close() }, icon("close"),
        h("span", { class: "hidden" }, T.close))),
    body);
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();  // outside the panel
  });
  let opener = null;
  dialog.addEventListener("close", () => {
    if (opener?.isConnected === false) document.querySelector("main")?.focus({ preventScroll: true });
  });
  document.body.append(dialog);
  return {
    open() {
      opener = document.activeElement;
      fill(body, content());
      dialog.showModal();
    },
    get is_open() {
      return dialog.open;
    },
  };
}
