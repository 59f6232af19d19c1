// SPDX-License-Identifier: Apache-2.0

/** Marks of Markdown that no prose has, each with what stands for it: a line, as an excerpt is one, has no use for them. */
const kMarks = [
  [/(?:```+|~~~+)[A-Za-z0-9+-]*/g, " "], // fences of code, with the name of the language
  [/\|(?:\s*:?-+:?\s*\|)+/g, " "], // the ruler below a table's head
  [/(^|\s)#{2,6}(?=\s)/g, "$1"], // headings
  [/(?:^|\s)\|(?:\s+\|)*(?=\s|$)/g, " · "], // borders of cells
  [/\s{2,}/g, " "],
];

/** An excerpt, or a piece of one, without them. @param {string} text */
export const without_marks = (text) => kMarks.reduce((left, [mark, stands_for]) => left.replace(mark, stands_for), text);
