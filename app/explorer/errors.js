// SPDX-License-Identifier: Apache-2.0
// Request errors, and their texts for visitors.

import { T } from "./texts.js";

/** @typedef {"refused" | "unreachable" | "slow" | "cancelled" | "nonsense" | "internal"} Kind */

export class ApiError extends Error {
  /**
   * @param {Kind} kind
   * @param {object} [details]
   * @param {number} [details.status] 0 without a response
   * @param {string} [details.code] error code of the API
   * @param {string} [details.message] message of the API
   * @param {string} [details.parameter] invalid parameter
   * @param {string} [details.request_id]
   * @param {number} [details.retry_at] milliseconds since 1970; 0 if unknown
   * @param {string} [details.window] exhausted window of the quota
   * @param {boolean} [details.with_key] whether the request had a key
   */
  constructor(kind, { status = 0, code = "", message = "", parameter = "", request_id = "", retry_at = 0, window = "",
                      with_key = false } = {}) {
    super(message || kind);
    this.kind = kind;
    this.status = status;
    this.code = code;
    this.server_message = message;
    this.parameter = parameter;
    this.request_id = request_id;
    this.retry_at = retry_at;
    this.window = window;
    this.with_key = with_key;
  }
}

/**
 * @param {ApiError} error
 * @returns {{ title: string, text: string }} for visitors who do not know status codes
 */
export function describe_error(error) {
  if (error.kind === "unreachable") return navigator.onLine ? T.errors.unreachable : T.errors.offline;
  if (error.kind === "slow") return T.errors.slow;
  if (error.kind === "nonsense") return T.errors.nonsense;
  switch (error.status) {
    case 400: return { title: T.errors.bad.title, text: error.server_message || T.errors.bad.text };
    case 401: return error.with_key ? T.errors.bad_key : T.errors.key;
    case 403: return T.errors.scope;
    case 404: return T.errors.missing;
    case 414: case 431: return T.errors.long;
    case 429: return error.window === "day" ? T.errors.day : T.errors.minute;
    case 501: return { title: T.errors.unsupported.title, text: error.server_message || T.errors.unsupported.text };
    case 503: return T.errors.not_ready;
    default: return T.errors.internal;
  }
}
