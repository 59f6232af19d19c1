// SPDX-License-Identifier: Apache-2.0
// Announces changes of the page to screen readers.

export class Announcer {
  #region;
  #timer = 0;
  #waiting = new Map();

  /** @param {HTMLElement} region with role=status */
  constructor(region) {
    this.#region = region;
  }

  /**
   * Waits 400 ms, so that a visitor who types hears only the last result.
   * @param {string} text "" cancels an announcement that was not made yet
   * @param {"view" | "hint" | "suggestions"} about only the last text of each is announced
   */
  announce(text, about) {
    clearTimeout(this.#timer);
    if (text === "") this.#waiting.delete(about);
    else this.#waiting.set(about, text.replace(/\.?$/, "."));
    this.#timer = window.setTimeout(() => this.#announce_waiting(), 400);
  }

  #announce_waiting() {
    if (this.#waiting.size === 0) return;
    const text = [...this.#waiting.values()].join(" ");
    this.#waiting.clear();
    // Screen readers announce an unchanged text again only if the region changes.
    this.#region.textContent = this.#region.textContent === text ? `${text}\u00a0` : text;
  }
}
