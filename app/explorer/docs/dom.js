// SPDX-License-Identifier: Apache-2.0
// Elements of the API description's page.
import { copy_text } from "../clipboard.js";
import { h } from "../dom.js";

/** A table with a heading for each column. Its box scrolls if the screen is narrow. */
export function table(caption, columns, rows) {
  const head = h("tr", {}, columns.map((column) => h("th", { scope: "col" }, column)));
  const body = rows.map(([first, ...rest]) =>
    h("tr", {}, h("th", { scope: "row" }, first), rest.map((cell) => h("td", {}, cell))),
  );
  // Focusable, so that the keyboard can scroll it.
  return h(
    "div",
    { class: "wide", tabindex: "0", role: "group", "aria-label": caption },
    h("table", {}, h("caption", { class: "unseen" }, caption), h("thead", {}, head), h("tbody", {}, body)),
  );
}

/** A collapsible section. Its content is created when it first opens, because most sections are never opened. */
export function fold(summary, content, { open = false, className = "" } = {}) {
  const details = h("details", { class: className, open }, h("summary", {}, summary));
  let isFilled = false;
  const fill = () => {
    if (isFilled || !details.open) return;
    isFilled = true;
    details.append(...[content()].flat(Infinity).filter(Boolean));
  };
  details.addEventListener("toggle", fill);
  fill();
  return details;
}

const announcer = () => document.getElementById("announcer");

/** Announces a text to screen readers. */
export function announce(text) {
  announcer().textContent = text;
}

/** A text with a copy button. */
export function codeBlock(text, label) {
  const code = h("code", {}, text);
  const button = h("button", { type: "button", class: "copy", "aria-label": `Copy ${label}` }, "Copy");
  button.addEventListener("click", async () => {
    const isCopied = await copy_text(code);
    button.textContent = isCopied ? "Copied" : "Selected";
    announce(isCopied ? `Copied: ${label}` : `Selected: ${label}`);
    setTimeout(() => (button.textContent = "Copy"), 2000);
  });
  return h("div", { class: "code" }, h("pre", { tabindex: "0", role: "group", "aria-label": label }, code), button);
}
