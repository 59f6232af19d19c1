// SPDX-License-Identifier: Apache-2.0
// Client of this server's API: adds the key, reads the quota, caches responses, and converts every failure to
// ApiError.

import { ResponseCache } from "./cache.js";
import { ApiError } from "./errors.js";
import { estimate, has_spare_requests, read_quota, retry_time, search_mode } from "./quota.js";

const kFresh = 30_000;      // responses younger than this are not requested again
const kTimeout = 20_000;   // timeout of a response
const kShown = {
  "X-Search-Match": "match", "X-Search-Relaxed": "relaxed", "X-Search-Synonyms": "synonyms", "X-Search-Corrected": "corrected",
  "X-Search-Did-You-Mean": "did_you_mean",
};

/**
 * @typedef {object} Result
 * @property {any} body
 * @property {Record<string, string>} headers of kShown
 */

export class Api {
  #base;
  #keys;
  #log;
  #cache = new ResponseCache();
  #quota = null;
  #spent = [];
  #channels = new Map();
  #listeners = [];

  /**
   * @param {string} base path of the API
   * @param {{ readonly value: string }} keys
   * @param {import("./request_log.js").RequestLog} log
   */
  constructor(base, keys, log) {
    this.#base = base;
    this.#keys = keys;
    this.#log = log;
  }

  /** @param {() => void} listener called when the quota may have changed */
  on_quota(listener) {
    this.#listeners.push(listener);
  }

  /** @returns {import("./quota.js").Window[] | null} null: not known yet */
  get windows() {
    return this.#quota === null ? null : estimate(this.#quota, this.#spent, Date.now());
  }

  get mode() {
    return search_mode(this.windows);
  }

  get has_spare_requests() {
    return has_spare_requests(this.windows);
  }

  /** Clears the cache and the quota: another key has another quota and may have other permissions. */
  forget() {
    this.#cache.clear();
    this.#quota = null;
    this.#spent = [];
    this.#notify_listeners();
  }

  /**
   * @param {string} path after the base, its parts percent-encoded
   * @param {Record<string, string | number | undefined>} [parameters] empty ones are omitted
   * @param {object} [how]
   * @param {string} [how.channel] a later request of the same channel cancels this one
   * @param {number} [how.max_age] maximum age of a cached response, in milliseconds
   * @param {boolean} [how.free] the request is not charged, and its response is never cached
   * @returns {Promise<Result>} rejects with ApiError
   */
  async get(path, parameters = {}, { channel = "", max_age = kFresh, free = false } = {}) {
    if (channel !== "") this.cancel(channel);
    const url = this.#address(path, parameters);
    const cached = free ? undefined : this.#cache.fresh(url, Date.now(), max_age);
    if (cached !== undefined) return cached;
    const abort = new AbortController();
    if (channel !== "") this.#channels.set(channel, abort);
    try {
      return await this.#fetch(url, abort, free);
    } finally {
      if (this.#channels.get(channel) === abort) this.#channels.delete(channel);
    }
  }

  /** @param {string} channel */
  cancel(channel) {
    this.#channels.get(channel)?.abort();
    this.#channels.delete(channel);
  }

  /** @returns {string} */
  #address(path, parameters) {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters)) {
      if (value !== undefined && value !== "") query.set(name, String(value));
    }
    const query_text = query.toString().replaceAll("%2C", ",");
    return `${this.#base}${path}${query_text === "" ? "" : `?${query_text}`}`;
  }

  /** @returns {Promise<Result>} */
  async #fetch(url, abort, free) {
    const cached = free ? undefined : this.#cache.get(url);
    const headers = {};
    if (this.#keys.value !== "") headers.Authorization = `Bearer ${this.#keys.value}`;
    if (cached?.etag) headers["If-None-Match"] = cached.etag;
    const key = this.#keys.value;
    const started = performance.now();
    const at = Date.now();
    let timed_out = false;
    const timer = setTimeout(() => {
      timed_out = true;
      abort.abort();
    }, kTimeout);
    let status = 0;
    try {
      const response = await fetch(url, { headers, signal: abort.signal, cache: "no-store", redirect: "error",
                                          credentials: "omit" });
      status = response.status;
      if (key === this.#keys.value) this.#update_quota(response, free, at);
      if (status === 304 && cached !== undefined) {
        this.#cache.confirm(url, Date.now());
        return cached;
      }
      const body = await parse_json(response);
      if (!response.ok && !(free && body?.status !== undefined)) throw error_from(response, body, key !== "");
      return this.#store(url, response, body, free || key !== this.#keys.value);
    } catch (error) {
      if (error instanceof ApiError) throw error;
      if (timed_out) throw new ApiError("slow");
      throw new ApiError(abort.signal.aborted ? "cancelled" : "unreachable");
    } finally {
      clearTimeout(timer);
      this.#log.add({ method: "GET", url: new URL(url, location.href).href, status, at, free,
                      milliseconds: performance.now() - started, with_key: key !== "" });
    }
  }

  /** @returns {Result} */
  #store(url, response, body, skip_cache) {
    const headers = {};
    for (const [name, short] of Object.entries(kShown)) headers[short] = response.headers.get(name) ?? "";
    const result = { body, headers, etag: response.headers.get("ETag") ?? "", at: Date.now() };
    if (!skip_cache) this.#cache.put(url, result);
    return result;
  }

  #update_quota(response, free, at) {
    if (!free && response.status !== 429) {
      this.#spent = [...this.#spent.filter((time) => time > at - 120_000), at];
    }
    const quota = read_quota(response.headers, Date.now());
    if (quota === null) return;
    this.#quota = quota;
    this.#notify_listeners();
  }

  #notify_listeners() {
    for (const listener of this.#listeners) listener();
  }
}

/** @param {Response} response @returns {Promise<any>} */
async function parse_json(response) {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    if (response.ok) throw new ApiError("nonsense", { status: response.status });
    return null;
  }
}

/** @param {Response} response @param {any} body @param {boolean} with_key @returns {ApiError} */
function error_from(response, body, with_key) {
  const quota = read_quota(response.headers, Date.now());
  const exhausted = quota?.windows.find(({ remaining, seconds }) => remaining === 0 && seconds > 3600);
  return new ApiError("refused", {
    status: response.status, code: body?.error?.code ?? "", message: body?.error?.message ?? "",
    parameter: body?.error?.details?.parameter ?? "", request_id: response.headers.get("X-Request-Id") ?? "",
    retry_at: retry_time(response.headers, Date.now()), window: exhausted === undefined ? "minute" : "day",
    with_key });
}
