// SPDX-License-Identifier: Apache-2.0
// Characters at and next to a position, as the Markdown rules classify them.

const kSpace = /\s/u;
export const kSign = /[\p{P}\p{S}]/u;

/** @param {string} text @param {number} at */
export function run_length(text, at) {
  let end = at;
  while (text[end] === text[at]) ++end;
  return end - at;
}

/** @param {string} text @returns {Map<number, number[]>} positions of backtick runs by length, last first */
export function tick_runs(text) {
  const runs = new Map();
  for (let at = text.indexOf("`"); at >= 0;) {
    const length = run_length(text, at);
    if (!runs.has(length)) runs.set(length, []);
    runs.get(length).push(at);
    at = text.indexOf("`", at + length);
  }
  for (const places of runs.values()) places.reverse();
  return runs;
}

/** @param {string} text @param {number} at @returns {string} the whole code point, "" at the end */
export function character_at(text, at) {
  const code = text.codePointAt(at);
  return code === undefined ? "" : String.fromCodePoint(code);
}

/** @param {string} text @param {number} at @returns {string} */
export function character_before(text, at) {
  if (at === 0) return "";
  const low = text.charCodeAt(at - 1);
  return low >= 0xdc00 && low <= 0xdfff && at > 1 ? text.slice(at - 2, at) : text[at - 1];
}

/** Whether a delimiter run is left- or right-flanking towards `inner`. @param {string} inner @param {string} outer */
export function flanks(inner, outer) {
  if (inner === "" || kSpace.test(inner)) return false;
  return !kSign.test(inner) || outer === "" || kSpace.test(outer) || kSign.test(outer);
}

/** @param {string} address @returns {string} without punctuation of the surrounding sentence */
export function without_tail(address) {
  let surplus = 0;
  for (const c of address) surplus += c === ")" ? 1 : c === "(" ? -1 : 0;
  let end = address.length;
  for (; end > 0; --end) {
    const c = address[end - 1];
    if (c === ")" && surplus > 0) --surplus;
    else if (!"?!.,:*_~'\";]".includes(c)) break;
  }
  return address.slice(0, end);
}
