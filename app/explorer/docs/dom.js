// SPDX-License-Identifier: Apache-2.0

/**
 * Makes an element. Texts become text nodes, never markup, so nothing in the description can turn into code.
 * `attributes` may have `class`, `id` and so on; an `on...` member is a listener; false, null and undefined leave out.
 */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (attribute.startsWith("on")) element.addEventListener(attribute.slice(2), value);
    else element.setAttribute(attribute, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child || child === 0));
  return element;
}

/** A table with a heading for each column; its box scrolls by itself where the screen is narrow. */
export function table(caption, columns, rows) {
  const head = make("tr", {}, columns.map((column) => make("th", { scope: "col" }, column)));
  const body = rows.map(([first, ...rest]) =>
    make("tr", {}, make("th", { scope: "row" }, first), rest.map((cell) => make("td", {}, cell))),
  );
  // Focusable, so that the keyboard can scroll it.
  return make(
    "div",
    { class: "wide", tabindex: "0", role: "group", "aria-label": caption },
    make("table", {}, make("caption", { class: "unseen" }, caption), make("thead", {}, head), make("tbody", {}, body)),
  );
}

/** What opens and closes. Its inside is made when it first opens: most of it nobody ever looks at. */
export function fold(summary, inside, { open = false, className = "" } = {}) {
  const details = make("details", { class: className, open }, make("summary", {}, summary));
  let isMade = false;
  const fill = () => {
    if (isMade || !details.open) return;
    isMade = true;
    details.append(...[inside()].flat(Infinity).filter(Boolean));
  };
  details.addEventListener("toggle", fill);
  fill();
  return details;
}

const announcer = () => document.getElementById("announcer");

/** Says it to screen readers. */
export function announce(text) {
  announcer().textContent = text;
}

/** Text to look at and to copy. */
export function codeBlock(text, label) {
  const code = make("code", {}, text);
  const button = make("button", { type: "button", class: "copy", "aria-label": `Copy ${label}` }, "Copy");
  button.addEventListener("click", async () => {
    const isCopied = await copy(text, code);
    button.textContent = isCopied ? "Copied" : "Selected";
    announce(isCopied ? `${label} is copied` : `${label} is selected`);
    setTimeout(() => (button.textContent = "Copy"), 2000);
  });
  return make("div", { class: "code" }, make("pre", { tabindex: "0", role: "group", "aria-label": label }, code), button);
}

// Browsers give no clipboard to pages that came without TLS from another machine: there the text is selected instead.
async function copy(text, code) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    getSelection().selectAllChildren(code);
    return false;
  }
}
