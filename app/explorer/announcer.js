// SPDX-License-Identifier: Apache-2.0
// Tells those who listen to the page what changed on it.

export class Announcer {
  #region;
  #timer = 0;

  /** @param {HTMLElement} region with role=status */
  constructor(region) {
    this.#region = region;
  }

  /**
   * Waits a moment, so that somebody who types hears the last result and not each one.
   * @param {string} text
   */
  say(text) {
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => {
      // The same words again are news again only where they are a change of the region.
      this.#region.textContent = this.#region.textContent === text ? `${text}\u00a0` : text;
    }, 400);
  }
}
