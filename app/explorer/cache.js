// SPDX-License-Identifier: Apache-2.0
// Answers by address, with their validators. An answer that was seen moments ago is not asked for again, since asking
// costs a request of the visitor's plan even where nothing changed.

/**
 * @typedef {object} Answer
 * @property {any} body
 * @property {string} etag "" where there is none
 * @property {Record<string, string>} headers those that the page shows
 * @property {number} at when it was known to be right, in milliseconds
 */

export class AnswerCache {
  #answers = new Map();
  #capacity;

  /** @param {number} capacity answers kept; the one used longest ago goes first */
  constructor(capacity = 60) {
    this.#capacity = capacity;
  }

  /** @param {string} url @returns {Answer | undefined} */
  get(url) {
    const answer = this.#answers.get(url);
    if (answer === undefined) return undefined;
    this.#answers.delete(url);
    this.#answers.set(url, answer);
    return answer;
  }

  /**
   * @param {string} url @param {number} now @param {number} max_age in milliseconds
   * @returns {Answer | undefined} one that may be shown without asking
   */
  fresh(url, now, max_age) {
    const answer = this.get(url);
    return answer !== undefined && now - answer.at < max_age ? answer : undefined;
  }

  /** @param {string} url @param {Answer} answer */
  put(url, answer) {
    this.#answers.delete(url);
    this.#answers.set(url, answer);
    if (this.#answers.size > this.#capacity) this.#answers.delete(this.#answers.keys().next().value);
  }

  /** The server confirmed it. @param {string} url @param {number} now */
  confirm(url, now) {
    const answer = this.get(url);
    if (answer !== undefined) answer.at = now;
  }

  clear() {
    this.#answers.clear();
  }

  get size() {
    return this.#answers.size;
  }
}
