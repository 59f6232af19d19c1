// SPDX-License-Identifier: Apache-2.0
// Tells those who listen to the page what changed on it.

export class Announcer {
  #region;
  #timer = 0;
  #waiting = new Map();

  /** @param {HTMLElement} region with role=status */
  constructor(region) {
    this.#region = region;
  }

  /**
   * Waits a moment, so that somebody who types hears the last result and not each one.
   * @param {string} text "" takes back what nobody has heard yet
   * @param {"view" | "hint" | "suggestions"} about of which only the last text counts
   */
  say(text, about) {
    clearTimeout(this.#timer);
    if (text === "") this.#waiting.delete(about);
    else this.#waiting.set(about, text.replace(/\.?$/, "."));
    this.#timer = window.setTimeout(() => this.#tell(), 400);
  }

  #tell() {
    if (this.#waiting.size === 0) return;
    const text = [...this.#waiting.values()].join(" ");
    this.#waiting.clear();
    // The same words again are news again only where they are a change of the region.
    this.#region.textContent = this.#region.textContent === text ? `${text}\u00a0` : text;
  }
}
