// SPDX-License-Identifier: Apache-2.0
// Blocks of code: a button that copies them, and colors by a library that is loaded when a page has code.

/** @param {Document} page */
export function watch_code(page) {
  const blocks = [...page.querySelectorAll(".text pre > code, .samples pre > code, .example pre > code")];
  for (const code of blocks) add_button(code);
  const known = blocks.filter((code) => /\blanguage-/.test(code.className));
  if (known.length > 0) void import("./code_colors.js").then(({ highlight }) => known.forEach(highlight));
}

/** @param {Element} code */
function add_button(code) {
  const block = code.parentElement;
  if (block === null || block.parentElement?.className === "code") return;
  const frame = document.createElement("div");
  frame.className = "code";
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(code.textContent ?? "");
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  block.replaceWith(frame);
  frame.append(block, button);
}
