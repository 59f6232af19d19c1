// SPDX-License-Identifier: Apache-2.0
// The last requests of this page, for visitors who want to repeat them.

/**
 * @typedef {object} Entry
 * @property {string} method
 * @property {string} url absolute URL
 * @property {number} status 0: no response
 * @property {number} milliseconds
 * @property {number} at when it was sent
 * @property {boolean} with_key
 * @property {boolean} free whether the request was not charged
 */

export class RequestLog {
  #entries = [];
  #listeners = [];
  #capacity;

  constructor(capacity = 25) {
    this.#capacity = capacity;
  }

  /** @param {Entry} entry */
  add(entry) {
    this.#entries.unshift(entry);
    if (this.#entries.length > this.#capacity) this.#entries.pop();
    for (const listener of this.#listeners) listener(entry);
  }

  /** newest first */
  get entries() {
    return this.#entries;
  }

  /** @param {(entry: Entry) => void} listener called after each request */
  on_entry(listener) {
    this.#listeners.push(listener);
  }
}

/**
 * Returns a command that makes the same request. It contains the name of a variable instead of the key.
 * @param {Pick<Entry, "method" | "url" | "with_key">} entry
 */
export function curl_line({ method, url, with_key }) {
  const parts = ["curl"];
  if (method !== "GET") parts.push("-X", method);
  if (with_key) parts.push('-H "Authorization: Bearer $KBASE_KEY"');
  parts.push(`'${url.replaceAll("'", "%27")}'`);
  return parts.join(" ");
}
