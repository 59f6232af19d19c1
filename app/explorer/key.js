// SPDX-License-Identifier: Apache-2.0
// Format of a key: `kb_`, 32 base-62 digits, and their CRC-32 (IEEE 802.3) as six base-62 digits, most significant
// first. The checksum detects typing errors without a request.

const kDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const kForm = /^kb_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;

/** @param {string} text of ASCII characters @returns {number} */
export function crc32(text) {
  let crc = 0xffffffff;
  for (let i = 0; i < text.length; ++i) {
    crc ^= text.charCodeAt(i);
    for (let bit = 0; bit < 8; ++bit) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** @param {number} value @returns {string} six digits */
function base62(value) {
  let digits = "";
  for (let i = 0; i < 6; ++i) {
    digits = kDigits[value % 62] + digits;
    value = Math.floor(value / 62);
  }
  return digits;
}

/** @param {string} text @returns {boolean} whether the text has the format and checksum of a key */
export function is_valid_key(text) {
  const parts = kForm.exec(text);
  return parts !== null && base62(crc32(parts[1])) === parts[2];
}

/**
 * The visitor's key. It stays in the browser: for this tab, or on this device if the visitor chooses so. It is sent
 * only in the `Authorization` header of requests to the knowledge base.
 */
export class KeyStore {
  static #name = "kbase-key";
  #device;
  #session;
  #value;

  /**
   * @param {{get(n: string): string | null, set(n: string, v: string): void, remove(n: string): void}} device
   * @param {typeof device} session
   */
  constructor(device, session) {
    this.#device = device;
    this.#session = session;
    const kept = session.get(KeyStore.#name) ?? device.get(KeyStore.#name) ?? "";
    this.#value = is_valid_key(kept) ? kept : "";
  }

  /** @returns {string} "" if there is no key */
  get value() {
    return this.#value;
  }

  /** @param {string} key a complete key @param {boolean} remember after this tab is closed */
  keep(key, remember) {
    this.forget();
    this.#value = key;
    (remember ? this.#device : this.#session).set(KeyStore.#name, key);
  }

  forget() {
    this.#value = "";
    this.#device.remove(KeyStore.#name);
    this.#session.remove(KeyStore.#name);
  }

  get remembered() {
    return this.#device.get(KeyStore.#name) !== null;
  }
}
