// SPDX-License-Identifier: Apache-2.0
// Remaining quota of the visitor's plan, read from response headers, and the decisions that depend on it.

/**
 * @typedef {object} Window one window of the quota
 * @property {string} name "minute", "day"
 * @property {number} limit
 * @property {number} remaining
 * @property {number} seconds its length
 * @property {number} resets seconds from `at` until some of it is available again
 *
 * @typedef {object} Quota
 * @property {Window[]} windows empty if the plan has no limit
 * @property {number} at when it was received, in milliseconds
 */

const kNoLimit = 2147483647;
const kMinute = 60;

/**
 * Parses a list of the form `"minute";q=10;w=60, "day";q=1000;w=86400` (RFC 8941 items with parameters).
 * @param {string} text
 * @returns {Map<string, Record<string, number>>}
 */
export function parse_list(text) {
  const members = new Map();
  for (const member of text.split(",")) {
    const [name, ...parameters] = member.split(";").map((part) => part.trim());
    if (name.length < 3 || !name.startsWith('"') || !name.endsWith('"')) continue;
    const values = {};
    for (const parameter of parameters) {
      const [key, value] = parameter.split("=");
      if (/^\d{1,15}$/.test(value ?? "")) values[key] = Number(value);
    }
    members.set(name.slice(1, -1), values);
  }
  return members;
}

/**
 * @param {{get(name: string): string | null}} headers of a response
 * @param {number} now milliseconds
 * @returns {Quota | null} null if the response has no quota fields
 */
export function read_quota(headers, now) {
  const policy = parse_list(headers.get("RateLimit-Policy") ?? "");
  const left = parse_list(headers.get("RateLimit") ?? "");
  const windows = [];
  for (const [name, { q, w }] of policy) {
    const { r, t } = left.get(name) ?? {};
    if (q === undefined || w === undefined || r === undefined) continue;
    windows.push({ name, limit: q, remaining: r, seconds: w, resets: t ?? w });
  }
  if (windows.length > 0) return { windows, at: now };
  const limit = headers.get("X-RateLimit-Limit");
  if (limit === null || !/^\d+$/.test(limit)) return null;
  if (Number(limit) === kNoLimit) return { windows: [], at: now };
  const reset = Number(headers.get("X-RateLimit-Reset") ?? 0) - Math.floor(now / 1000);
  const remaining = Number(headers.get("X-RateLimit-Remaining") ?? 0);
  return { windows: [{ name: "minute", limit: Number(limit), remaining, seconds: kMinute, resets: reset }], at: now };
}

/**
 * Estimates the current windows without a request: this page's requests no longer count once they are older than
 * the window.
 * @param {Quota} quota
 * @param {number[]} spent when this page made requests, in milliseconds, up to `quota.at`
 * @param {number} now
 * @returns {Window[]}
 */
export function estimate(quota, spent, now) {
  return quota.windows.map((window) => {
    if (window.seconds > 3600) {
      const over = now - quota.at >= window.resets * 1000;
      return over ? { ...window, remaining: window.limit, resets: window.seconds } : window;
    }
    const length = window.seconds * 1000;
    const back = spent.filter((at) => at <= quota.at && at > quota.at - length && at <= now - length).length;
    const remaining = now - quota.at >= length ? window.limit : Math.min(window.limit, window.remaining + back);
    return { ...window, remaining, resets: Math.max(0, window.resets - (now - quota.at) / 1000) };
  });
}

/**
 * Whether to search at each key (`typing`) or only on Enter (`enter`). Searching while typing needs a plan with
 * many requests per minute. The public plan, or a plan that is nearly used up, is reserved for explicit searches.
 * @param {Window[] | null} windows null: unknown so far
 * @returns {"typing" | "enter"}
 */
export function search_mode(windows) {
  if (windows === null) return "enter";
  for (const { limit, remaining, seconds } of windows) {
    if (seconds <= 3600 && (limit < 60 || remaining < Math.max(12, limit / 4))) return "enter";
    if (seconds > 3600 && remaining < Math.max(100, limit / 50)) return "enter";
  }
  return "typing";
}

/**
 * Whether requests may be spent on optional content: suggestions, category names, related items.
 * @param {Window[] | null} windows
 */
export function has_spare_requests(windows) {
  return search_mode(windows) === "typing" && windows.every(
      ({ limit, remaining, seconds }) => seconds > 3600 || remaining > limit / 2);
}

/**
 * Returns when a rejected request may be repeated.
 * @param {{get(name: string): string | null}} headers
 * @param {number} now
 * @returns {number} milliseconds since 1970; 0 if the response does not specify it
 */
export function retry_time(headers, now) {
  const after = headers.get("Retry-After");
  return after !== null && /^\d{1,9}$/.test(after) ? now + Number(after) * 1000 : 0;
}
