// SPDX-License-Identifier: Apache-2.0
// Copies what is on the page.

/**
 * Selects the text instead if the browser provides no clipboard (a page without TLS on another machine).
 * @param {HTMLElement} element
 * @returns {Promise<boolean>} whether it is in the clipboard
 */
export async function copy_text(element) {
  try {
    await navigator.clipboard.writeText(element.textContent ?? "");
    return true;
  } catch {
    getSelection()?.selectAllChildren(element);
    return false;
  }
}
