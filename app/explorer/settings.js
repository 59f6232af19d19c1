// SPDX-License-Identifier: Apache-2.0
// Settings that the server writes into the page, and settings that the visitor chose on this device.

/** @param {string} name @param {string} fallback */
function read_meta(name, fallback) {
  const meta = document.querySelector(`meta[name="${name}"]`);
  return meta?.getAttribute("content") || fallback;
}

/** @typedef {{ base: string, name: string }} Settings */

/** @returns {Settings} base path of the API, without a trailing slash, and name of this knowledge base */
export function read_settings() {
  return { base: read_meta("kbase-base", "/api/v1").replace(/\/$/, ""), name: read_meta("kbase-name", "Knowledge base") };
}

/**
 * Browser storage that may be unavailable (private windows, policies): then nothing is stored and no error occurs.
 * @param {() => Storage} storage
 */
export function safe_storage(storage) {
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
        // The setting is not stored, but the caller still has the value.
      }
    },
    /** @param {string} name */
    remove(name) {
      try {
        storage().removeItem(name);
      } catch {
        // There is nothing to remove.
      }
    },
  };
}

export const device = safe_storage(() => localStorage);
export const session = safe_storage(() => sessionStorage);
