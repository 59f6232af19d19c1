// SPDX-License-Identifier: Apache-2.0
// Responses by URL, with their validators. Recent responses are not requested again, because a request is charged to
// the visitor's plan even if nothing changed.

/**
 * @typedef {object} CachedResponse
 * @property {any} body
 * @property {string} etag "" if the response has none
 * @property {Record<string, string>} headers those that the page shows
 * @property {number} at when it was last valid, in milliseconds
 */

export class ResponseCache {
  #responses = new Map();
  #capacity;

  /** @param {number} capacity number of responses; the least recently used one is removed first */
  constructor(capacity = 60) {
    this.#capacity = capacity;
  }

  /** @param {string} url @returns {CachedResponse | undefined} */
  get(url) {
    const response = this.#responses.get(url);
    if (response === undefined) return undefined;
    this.#responses.delete(url);
    this.#responses.set(url, response);
    return response;
  }

  /**
   * @param {string} url @param {number} now @param {number} max_age in milliseconds
   * @returns {CachedResponse | undefined} a response that may be shown without a request
   */
  fresh(url, now, max_age) {
    const response = this.get(url);
    return response !== undefined && now - response.at < max_age ? response : undefined;
  }

  /** @param {string} url @param {CachedResponse} response */
  put(url, response) {
    this.#responses.delete(url);
    this.#responses.set(url, response);
    if (this.#responses.size > this.#capacity) this.#responses.delete(this.#responses.keys().next().value);
  }

  /** Marks a response as revalidated. @param {string} url @param {number} now */
  confirm(url, now) {
    const response = this.get(url);
    if (response !== undefined) response.at = now;
  }

  clear() {
    this.#responses.clear();
  }

  get size() {
    return this.#responses.size;
  }
}
