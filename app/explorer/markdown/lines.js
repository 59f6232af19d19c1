// SPDX-License-Identifier: Apache-2.0
// Classifies a single line of Markdown, in time proportional to its length.

/** @param {string} line @returns {string} with the tabs of its indentation expanded to stops of four columns */
export function expand_indentation(line) {
  if (line.charCodeAt(0) !== 9 && line.charCodeAt(0) !== 32) return line;
  let column = 0;
  let i = 0;
  for (; i < line.length; ++i) {
    if (line[i] === " ") ++column;
    else if (line[i] === "\t") column += 4 - (column % 4);
    else break;
  }
  return " ".repeat(Math.min(column, 4000)) + line.slice(i);
}

/** @param {string} line expanded */
export function indentation(line) {
  let i = 0;
  while (i < line.length && line.charCodeAt(i) === 32) ++i;
  return i;
}

/** @param {string} line */
export function is_blank(line) {
  for (let i = 0; i < line.length; ++i) {
    const code = line.charCodeAt(i);
    if (code !== 32 && code !== 9) return false;
  }
  return true;
}

/** @param {string} line expanded, indented by less than 4 */
export function is_rule(line) {
  let mark = "";
  let count = 0;
  for (const c of line) {
    if (c === " " || c === "\t") continue;
    if (mark === "" && (c === "*" || c === "-" || c === "_")) mark = c;
    if (c !== mark || mark === "") return false;
    ++count;
  }
  return count >= 3;
}

/** @param {string} line @returns {1 | 2 | 0} heading level that this line gives to the text above; 0 for none */
export function underline_level(line) {
  const text = line.trim();
  if (text === "" || (text[0] !== "=" && text[0] !== "-")) return 0;
  for (let i = 1; i < text.length; ++i) if (text[i] !== text[0]) return 0;
  return text[0] === "=" ? 1 : 2;
}

const kFence = /^ {0,3}(`{3,}|~{3,})(.*)$/;

/** @param {string} line @returns {{ mark: string, length: number, info: string, indent: number } | null} */
export function fence(line) {
  const match = kFence.exec(line);
  if (match === null || (match[1][0] === "`" && match[2].includes("`"))) return null;
  return { mark: match[1][0], length: match[1].length, info: match[2].trim(), indent: indentation(line) };
}

/** @param {string} line @param {{ mark: string, length: number }} opened */
export function closes_fence(line, opened) {
  if (indentation(line) > 3) return false;
  const text = line.trim();
  if (text.length < opened.length) return false;
  for (let i = 0; i < text.length; ++i) if (text[i] !== opened.mark) return false;
  return true;
}

/** @param {string} line @returns {{ level: number, text: string } | null} */
export function heading(line) {
  const match = /^ {0,3}(#{1,6})(?=[ \t]|$)/.exec(line);
  if (match === null) return null;
  const text = line.slice(match[0].length).trim();
  let end = text.length;
  while (end > 0 && text[end - 1] === "#") --end;
  const closed = end === 0 || text[end - 1] === " " || text[end - 1] === "\t";
  return { level: match[1].length, text: closed ? text.slice(0, end).trimEnd() : text };
}

/**
 * @typedef {object} Marker
 * @property {string} kind the bullet, or the delimiter after the number; another kind begins a new list
 * @property {boolean} ordered
 * @property {number} start
 * @property {number} width columns up to the text
 * @property {boolean} empty no text after the marker
 */

const kMarker = /^( {0,3})(?:([-+*])|(\d{1,9})([.)]))(?=[ \t]|$)/;

/** @param {string} line expanded @returns {Marker | null} */
export function marker(line) {
  const match = kMarker.exec(line);
  if (match === null) return null;
  const mark_end = match[0].length;
  const rest = expand_indentation(line.slice(mark_end));
  const spaces = indentation(rest);
  const empty = is_blank(rest);
  const width = mark_end + (empty || spaces > 4 ? 1 : spaces);
  return { kind: match[2] ?? match[4], ordered: match[2] === undefined, start: Number(match[3] ?? 0), width, empty };
}

/** @param {string} line first line of a list item @param {Marker} item @returns {string} its text, expanded */
export function behind_marker(line, item) {
  const mark_end = kMarker.exec(line)?.[0].length ?? 0;
  const rest = expand_indentation(line.slice(mark_end));
  return rest.slice(Math.min(item.width - mark_end, indentation(rest)));
}

/** @param {string} line @returns {boolean} */
export function is_quote(line) {
  return line[indentation(line)] === ">" && indentation(line) < 4;
}

/** @param {string} line of a quote @returns {string} the quoted text */
export function behind_quote(line) {
  const rest = expand_indentation(line.slice(indentation(line) + 1));
  return rest[0] === " " ? rest.slice(1) : rest;
}

/** @param {string} line @returns {string[]} its cells; a `|` after a backslash is not a separator */
export function cells(line) {
  const text = line.trim();
  const out = [];
  let begin = text[0] === "|" ? 1 : 0;
  for (let i = begin; i < text.length; ++i) {
    if (text[i] === "\\") ++i;
    else if (text[i] === "|") {
      out.push(text.slice(begin, i).trim());
      begin = i + 1;
    }
  }
  if (begin < text.length) out.push(text.slice(begin).trim());
  return out.map((cell) => cell.replaceAll("\\|", "|"));
}

/** @typedef {"" | "start" | "center" | "end"} Alignment */

/** @param {string} line below the header of a table @returns {Alignment[] | null} */
export function alignments(line) {
  if (!line.includes("-") || !/^[ \t|:-]+$/.test(line) || !/[|:]/.test(line)) return null;
  const out = [];
  for (const cell of cells(line)) {
    const left = cell.startsWith(":");
    const right = cell.length > 1 && cell.endsWith(":");
    const dashes = cell.slice(left ? 1 : 0, right ? -1 : undefined);
    if (dashes === "" || dashes.includes(":") || dashes.includes(" ")) return null;
    out.push(left && right ? "center" : right ? "end" : left ? "start" : "");
  }
  return out;
}
