// SPDX-License-Identifier: Apache-2.0
// Responses by URL, with their validators. Recent responses are not requested again, because a request is charged to
// the visitor's plan even if nothing changed.

/**
 * @typedef {object} Answer
 * @property {any} body
 * @property {string} etag "" if there is none
 * @property {Record<string, string>} headers those that the page shows
 * @property {number} at when it was last valid, in milliseconds
 */

export class AnswerCache {
  #answers = new Map();
  #capacity;

  /** @param {number} capacity number of responses; the least recently used one is removed first */
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
   * @returns {Answer | undefined} a response that may be shown without a request
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

  /** Marks a response as revalidated. @param {string} url @param {number} now */
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
