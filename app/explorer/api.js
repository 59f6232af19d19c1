// SPDX-License-Identifier: Apache-2.0
// Client of this server's API: adds the key, reads the quota, caches responses, and converts every failure to
// ApiError.

import { AnswerCache } from "./cache.js";
import { ApiError } from "./errors.js";
import { estimate, has_room, read_quota, retry_time, search_mode } from "./quota.js";

const kFresh = 30_000;      // responses younger than this are not requested again
const kPatience = 20_000;   // timeout of a response
const kShown = { "X-Search-Match": "match", "X-Search-Corrected": "corrected", "X-Search-Did-You-Mean": "did_you_mean" };

/**
 * @typedef {object} Result
 * @property {any} body
 * @property {Record<string, string>} headers of kShown
 */

export class Api {
  #base;
  #keys;
  #log;
  #cache = new AnswerCache();
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

  get has_room() {
    return has_room(this.windows);
  }

  /** Clears the cache and the quota: another key has another quota and may have other permissions. */
  forget() {
    this.#cache.clear();
    this.#quota = null;
    this.#spent = [];
    this.#tell();
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
    const known = free ? undefined : this.#cache.fresh(url, Date.now(), max_age);
    if (known !== undefined) return known;
    const abort = new AbortController();
    if (channel !== "") this.#channels.set(channel, abort);
    try {
      return await this.#ask(url, abort, free);
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
    const said = query.toString().replaceAll("%2C", ",");
    return `${this.#base}${path}${said === "" ? "" : `?${said}`}`;
  }

  /** @returns {Promise<Result>} */
  async #ask(url, abort, free) {
    const known = free ? undefined : this.#cache.get(url);
    const headers = {};
    if (this.#keys.value !== "") headers.Authorization = `Bearer ${this.#keys.value}`;
    if (known?.etag) headers["If-None-Match"] = known.etag;
    const key = this.#keys.value;
    const begun = performance.now();
    const at = Date.now();
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      abort.abort();
    }, kPatience);
    let status = 0;
    try {
      const response = await fetch(url, { headers, signal: abort.signal, cache: "no-store", redirect: "error",
                                          credentials: "omit" });
      status = response.status;
      if (key === this.#keys.value) this.#take_quota(response, free, at);
      if (status === 304 && known !== undefined) {
        this.#cache.confirm(url, Date.now());
        return known;
      }
      const body = await json_of(response);
      if (!response.ok && !(free && body?.status !== undefined)) throw refusal(response, body, key !== "");
      return this.#keep(url, response, body, free || key !== this.#keys.value);
    } catch (error) {
      if (error instanceof ApiError) throw error;
      if (late) throw new ApiError("slow");
      throw new ApiError(abort.signal.aborted ? "cancelled" : "unreachable");
    } finally {
      clearTimeout(timer);
      this.#log.add({ method: "GET", url: new URL(url, location.href).href, status, at, free,
                      milliseconds: performance.now() - begun, with_key: key !== "" });
    }
  }

  /** @returns {Result} */
  #keep(url, response, body, passing) {
    const headers = {};
    for (const [name, short] of Object.entries(kShown)) headers[short] = response.headers.get(name) ?? "";
    const answer = { body, headers, etag: response.headers.get("ETag") ?? "", at: Date.now() };
    if (!passing) this.#cache.put(url, answer);
    return answer;
  }

  #take_quota(response, free, at) {
    if (!free && response.status !== 429) {
      this.#spent = [...this.#spent.filter((time) => time > at - 120_000), at];
    }
    const quota = read_quota(response.headers, Date.now());
    if (quota === null) return;
    this.#quota = quota;
    this.#tell();
  }

  #tell() {
    for (const listener of this.#listeners) listener();
  }
}

/** @param {Response} response @returns {Promise<any>} */
async function json_of(response) {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    if (response.ok) throw new ApiError("nonsense", { status: response.status });
    return null;
  }
}

/** @param {Response} response @param {any} body @param {boolean} with_key @returns {ApiError} */
function refusal(response, body, with_key) {
  const quota = read_quota(response.headers, Date.now());
  const empty = quota?.windows.find(({ remaining, seconds }) => remaining === 0 && seconds > 3600);
  return new ApiError("refused", {
    status: response.status, code: body?.error?.code ?? "", message: body?.error?.message ?? "",
    parameter: body?.error?.details?.parameter ?? "", request_id: response.headers.get("X-Request-Id") ?? "",
    retry_at: retry_time(response.headers, Date.now()), window: empty === undefined ? "minute" : "day",
    with_key });
}
