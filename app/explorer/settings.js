// SPDX-License-Identifier: Apache-2.0
// What the server says about itself in the page, and what the visitor chose on this device.

/** @param {string} name @param {string} otherwise */
function said(name, otherwise) {
  const meta = document.querySelector(`meta[name="${name}"]`);
  return meta?.getAttribute("content") || otherwise;
}

/** @typedef {{ base: string, name: string }} Settings */

/** @returns {Settings} where the API is, without a slash at the end, and what this knowledge base is called */
export function read_settings() {
  return { base: said("kbase-base", "/api/v1").replace(/\/$/, ""), name: said("kbase-name", "Knowledge base") };
}

/**
 * Storage of the browser that may be refused (private windows, policies): then nothing is kept, and nothing fails.
 * @param {() => Storage} storage
 */
export function careful(storage) {
  return {
    /** @param {string} name @returns {string | null} */
    get(name) {
      try {
        return storage().getItem(name);
      } catch {
        return null;
      }
    },
    /** @param {string} name @param {string} value */
    set(name, value) {
      try {
        storage().setItem(name, value);
      } catch {
        // Kept for this page only: the caller has the value.
      }
    },
    /** @param {string} name */
    remove(name) {
      try {
        storage().removeItem(name);
      } catch {
        // There was none to remove.
      }
    },
  };
}

export const device = careful(() => localStorage);
export const session = careful(() => sessionStorage);
