// SPDX-License-Identifier: Apache-2.0
// Copies what is on the page.

/**
 * Where the browser lends no clipboard (a page without TLS on another machine), the text is selected instead.
 * @param {HTMLElement} element
 * @returns {Promise<boolean>} whether it is in the clipboard
 */
export async function copied(element) {
  try {
    await navigator.clipboard.writeText(element.textContent ?? "");
    return true;
  } catch {
    getSelection()?.selectAllChildren(element);
    return false;
  }
}
