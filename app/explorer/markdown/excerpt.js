// SPDX-License-Identifier: Apache-2.0
// An excerpt is one line, which has no use for some marks of Markdown. Each has what stands for it.

const kOfBlocks = [
  [/(?:```+|~~~+)[A-Za-z0-9+-]*/g, " "], // fences of code, with the name of the language
  [/(^|\s)#{2,6}(?=\s)/g, "$1"], // headings
];
const kRuler = /\|(?:\s*:?-+:?\s*\|)+/; // below the head of a table
const kOfTables = [
  [new RegExp(kRuler, "g"), " "],
  [/(?:^|\s)\|(?:\s+\|)*(?=\s|$)/g, " \u00b7 "], // borders of cells; a bar may be anything where there is no table
];
const kGaps = [/\s{2,}/g, " "];

/**
 * What takes them out of an excerpt, or out of each piece of it.
 * @param {string} excerpt @returns {(piece: string) => string}
 */
export function without_marks_of(excerpt) {
  const marks = [...kOfBlocks, ...(kRuler.test(excerpt) ? kOfTables : []), kGaps];
  return (piece) => marks.reduce((left, [mark, stands_for]) => left.replace(mark, stands_for), piece);
}
