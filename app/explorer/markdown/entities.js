// SPDX-License-Identifier: Apache-2.0
// HTML character references that are common in text. Others are shown unchanged.

const kNamed = new Map(Object.entries({
  amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0", copy: "©", reg: "®", trade: "™", hellip: "…",
  mdash: "—", ndash: "–", lsquo: "‘", rsquo: "’", ldquo: "“", rdquo: "”", laquo: "«", raquo: "»", bull: "•",
  middot: "·", deg: "°", plusmn: "±", times: "×", divide: "÷", euro: "€", pound: "£", yen: "¥", cent: "¢",
  sect: "§", para: "¶", larr: "←", uarr: "↑", rarr: "→", darr: "↓", harr: "↔", le: "≤", ge: "≥", ne: "≠",
  infin: "∞", micro: "µ", alpha: "α", beta: "β", gamma: "γ", delta: "δ", pi: "π", sigma: "σ", lambda: "λ",
  shy: "\u00ad", frac12: "½", frac14: "¼", frac34: "¾", sup2: "²", sup3: "³", ouml: "ö", auml: "ä", uuml: "ü",
  Ouml: "Ö", Auml: "Ä", Uuml: "Ü", szlig: "ß", eacute: "é", egrave: "è", agrave: "à", ccedil: "ç",
}));

const kReference = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z][A-Za-z0-9]{1,31}));/y;

/**
 * @param {string} text
 * @param {number} at position of an `&`
 * @returns {{ text: string, end: number } | null} the referenced text and the end of the reference; null if there is
 * none
 */
export function reference_at(text, at) {
  kReference.lastIndex = at;
  const match = kReference.exec(text);
  if (match === null) return null;
  const [whole, decimal, hexadecimal, name] = match;
  const end = at + whole.length;
  if (name !== undefined) {
    const value = kNamed.get(name);
    return value === undefined ? null : { text: value, end };
  }
  const code = decimal !== undefined ? Number.parseInt(decimal, 10) : Number.parseInt(hexadecimal, 16);
  const valid = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return { text: valid ? String.fromCodePoint(code) : "\ufffd", end };
}

const kPunctuation = /[!-/:-@[-`{-~]/;

/** @param {string} text with backslash escapes and character references @returns {string} the text they represent */
export function unescape_text(text) {
  let out = "";
  for (let i = 0; i < text.length;) {
    if (text[i] === "\\" && kPunctuation.test(text[i + 1] ?? "")) {
      out += text[i + 1];
      i += 2;
      continue;
    }
    const reference = text[i] === "&" ? reference_at(text, i) : null;
    out += reference === null ? text[i] : reference.text;
    i = reference === null ? i + 1 : reference.end;
  }
  return out;
}
