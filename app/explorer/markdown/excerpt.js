// SPDX-License-Identifier: Apache-2.0
// Removes Markdown markup from an excerpt, which is a single line. Each pattern has a replacement.

const kBlockPatterns = [
  [/(?:```+|~~~+)[A-Za-z0-9+-]*/g, " "], // code fences, with the name of the language
  [/(^|\s)#{2,6}(?=\s)/g, "$1"], // headings
];
const kRuler = /\|(?:\s*:?-+:?\s*\|)+/; // separator row of a table
const kTablePatterns = [
  [new RegExp(kRuler, "g"), " "],
  [/(?:^|\s)\|(?:\s+\|)*(?=\s|$)/g, " \u00b7 "], // cell borders; without a table, a bar can be anything
];
const kWhitespace = [/\s{2,}/g, " "];

/**
 * Returns a function that removes the markup from an excerpt or from a part of it.
 * @param {string} excerpt @returns {(piece: string) => string}
 */
export function remove_markup_of(excerpt) {
  const marks = [...kBlockPatterns, ...(kRuler.test(excerpt) ? kTablePatterns : []), kWhitespace];
  return (piece) => marks.reduce((left, [mark, stands_for]) => left.replace(mark, stands_for), piece);
}
