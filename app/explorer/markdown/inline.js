// SPDX-License-Identifier: Apache-2.0
// Inline parser: emphasis, code, links. The result is a flat list of pieces with `open` and `close`, so that deep
// nesting of a text does not cause deep recursion.
//
// The algorithm is CommonMark's ("Phase 2: inline structure"): a list of delimiters and a stack of brackets, each
// visited a bounded number of times. The limits of links.js bound the cost of unfinished links.

import { kSign, character_at, character_before, flanks, run_length, tick_runs, without_tail } from "./characters.js";
import { reference_at } from "./entities.js";
import { kMaxLabel, link_target, normal_label } from "./links.js";

/**
 * @typedef {object} Piece
 * @property {"text" | "code" | "break" | "soft" | "open" | "close"} type
 * @property {string} [text]
 * @property {"em" | "strong" | "del" | "link" | "image"} [what] of open and close
 * @property {string} [href]
 * @property {string} [title]
 *
 * @typedef {object} Run a run of `*`, `_` or `~`
 * @property {number} at index in the list of pieces
 * @property {string} mark
 * @property {number} length remaining length
 * @property {number} whole original length
 * @property {boolean} opens
 * @property {boolean} closes
 * @property {Run | null} before
 * @property {Run | null} after
 * @property {Piece[]} closed pieces that end here
 * @property {Piece[]} opened pieces that begin here, innermost first
 *
 * @typedef {object} Bracket
 * @property {number} at index in the list of pieces
 * @property {number} text_at position in the text after the bracket
 * @property {boolean} image
 * @property {Run | null} run the last run before it
 */

// Number of unfinished links in one block after which no more links are parsed. Real texts never have as many.
const kMaxFailures = 4000;

const kPlain = /[^\\`*_~[\]!<&\nhw]+/y;
const kWord = /[\p{L}\p{N}]/u;
const kAngle = /<(?:([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]{0,2048})|([\w.!#$%&'*+/=?^`{|}~-]{1,64}@[A-Za-z0-9.-]{1,255}))>/y;
// Also ends at Chinese and Japanese punctuation, which follows an address without a space.
const kBare = /(?:https?:\/\/|www\.)[^\s<\p{Cc}\u3000-\u303f\uff00-\uff60]{1,2048}/uy;

class Scanner {
  #text;
  #references;
  #pieces = [];
  #brackets = [];
  #last_run = null;
  #dead_below = 0;  // brackets below this stack height cannot begin a link, because they contain one
  #failures_left = kMaxFailures;
  #ticks;

  /** @param {string} text @param {Map<string, { href: string, title: string }>} references */
  constructor(text, references) {
    this.#text = text;
    this.#references = references;
    this.#ticks = tick_runs(text);
  }

  /** @returns {Piece[]} */
  scan() {
    for (let at = 0; at < this.#text.length;) {
      kPlain.lastIndex = at;
      const plain = kPlain.exec(this.#text);
      if (plain !== null) {
        this.#say(plain[0]);
        at += plain[0].length;
      } else {
        at = this.#special(at);
      }
    }
    this.#match_runs(null);
    return flatten(this.#pieces);
  }

  /** @param {string} text */
  #say(text) {
    this.#pieces.push({ type: "text", text });
  }

  /** @param {number} at @returns {number} position after the parsed text */
  #special(at) {
    const text = this.#text;
    switch (text[at]) {
      case "\\": return this.#backslash(at);
      case "`": return this.#code(at);
      case "*": case "_": case "~": return this.#run(at);
      case "[":
        this.#brackets.push({ at: this.#pieces.length, text_at: at + 1, image: false, run: this.#last_run });
        this.#say("[");
        return at + 1;
      case "!":
        if (text[at + 1] !== "[") break;
        this.#brackets.push({ at: this.#pieces.length, text_at: at + 2, image: true, run: this.#last_run });
        this.#say("![");
        return at + 2;
      case "]": return this.#close_bracket(at);
      case "<": return this.#angle(at);
      case "&": {
        const reference = reference_at(text, at);
        if (reference === null) break;
        this.#say(reference.text);
        return reference.end;
      }
      case "\n": return this.#line_end(at);
      default: return this.#bare(at);
    }
    this.#say(text[at]);
    return at + 1;
  }

  /** @param {number} at */
  #backslash(at) {
    const next = this.#text[at + 1] ?? "";
    if (next === "\n") {
      this.#pieces.push({ type: "break" });
      return at + 2;
    }
    const escaped = /[!-/:-@[-`{-~]/.test(next);
    this.#say(escaped ? next : "\\");
    return at + (escaped ? 2 : 1);
  }

  /** @param {number} at */
  #code(at) {
    const length = run_length(this.#text, at);
    const ends = this.#ticks.get(length) ?? [];
    while (ends.length > 0 && ends[ends.length - 1] <= at) ends.pop();
    const end = ends[ends.length - 1];
    if (end === undefined) {
      this.#say("`".repeat(length));
      return at + length;
    }
    let code = this.#text.slice(at + length, end).replaceAll("\n", " ");
    if (code.startsWith(" ") && code.endsWith(" ") && code.trim() !== "") code = code.slice(1, -1);
    this.#pieces.push({ type: "code", text: code });
    return end + length;
  }

  /** @param {number} at */
  #run(at) {
    const mark = this.#text[at];
    const length = run_length(this.#text, at);
    const before = character_before(this.#text, at);
    const after = character_at(this.#text, at + length);
    const open_side = flanks(after, before);
    const close_side = flanks(before, after);
    const words = mark === "_";
    if (mark === "~" && length !== 2) {
      this.#say("~".repeat(length));
      return at + length;
    }
    const run = { at: this.#pieces.length, mark, length, whole: length, before: this.#last_run, after: null, closed: [],
                  opened: [], opens: open_side && (!words || !close_side || kSign.test(before)),
                  closes: close_side && (!words || !open_side || kSign.test(after)) };
    if (this.#last_run !== null) this.#last_run.after = run;
    this.#last_run = run;
    this.#pieces.push(run);
    return at + length;
  }

  /** @param {number} at */
  #close_bracket(at) {
    const bracket = this.#brackets.pop();
    const dead = bracket !== undefined && !bracket.image && this.#brackets.length < this.#dead_below;
    this.#dead_below = Math.min(this.#dead_below, this.#brackets.length);
    const target = bracket === undefined || dead ? null : this.#target(at, bracket);
    if (bracket === undefined || target === null) {
      this.#say("]");
      return at + 1;
    }
    const what = bracket.image ? "image" : "link";
    this.#match_runs(bracket.run);
    this.#pieces[bracket.at] = { type: "open", what, href: target.href, title: target.title };
    this.#pieces.push({ type: "close", what });
    if (!bracket.image) this.#dead_below = this.#brackets.length;
    return target.end;
  }

  /** @returns {{ href: string, title: string, end: number } | null} */
  #target(at, bracket) {
    const text = this.#text;
    const tried = text[at + 1] === "(" && this.#failures_left > 0;
    const direct = tried ? link_target(text, at + 1) : null;
    if (direct !== null) return direct;
    if (tried) --this.#failures_left;
    if (this.#references.size === 0) return null;
    let label = at - bracket.text_at <= kMaxLabel ? text.slice(bracket.text_at, at) : "";
    let end = at + 1;
    if (text[end] === "[") {
      const close = text.slice(end + 1, end + 2 + kMaxLabel).search(/[[\]]/);
      if (close >= 0 && text[end + 1 + close] === "]") {
        if (close > 0) label = text.slice(end + 1, end + 1 + close);
        end += close + 2;
      }
    }
    const found = this.#references.get(normal_label(label));
    return found === undefined ? null : { ...found, end };
  }

  /** @param {number} at */
  #angle(at) {
    kAngle.lastIndex = at;
    const match = kAngle.exec(this.#text);
    if (match === null) {
      this.#say("<");
      return at + 1;
    }
    const shown = match[1] ?? match[2];
    this.#link(match[1] ?? `mailto:${match[2]}`, shown);
    return at + match[0].length;
  }

  /** An address without link markup. @param {number} at */
  #bare(at) {
    const text = this.#text;
    kBare.lastIndex = at;
    const starts = (text.startsWith("http", at) || text.startsWith("www.", at)) &&
                   (at === 0 || !kWord.test(text[at - 1])) && this.#brackets.length === 0;
    const match = starts ? kBare.exec(text) : null;
    if (match === null) {
      this.#say(text[at]);
      return at + 1;
    }
    const address = without_tail(match[0]);
    if (/^(?:https?:\/\/|www\.?)$/.test(address)) {
      this.#say(address);
      return at + address.length;
    }
    this.#link(address.startsWith("www.") ? `http://${address}` : address, address);
    return at + address.length;
  }

  /** @param {string} href @param {string} shown */
  #link(href, shown) {
    this.#pieces.push({ type: "open", what: "link", href, title: "" }, { type: "text", text: shown },
                      { type: "close", what: "link" });
  }

  /** @param {number} at */
  #line_end(at) {
    const last = this.#pieces[this.#pieces.length - 1];
    const spaces = last !== undefined && "type" in last && last.type === "text" && last.text?.endsWith("  ");
    if (last !== undefined && "type" in last && last.type === "text") last.text = last.text?.trimEnd();
    this.#pieces.push({ type: spaces ? "break" : "soft" });
    while (this.#text[at + 1] === " ") ++at;
    return at + 1;
  }

  /**
   * Converts the delimiters after `bottom` to emphasis and removes them.
   * @param {Run | null} bottom
   */
  #match_runs(bottom) {
    const bottom_at = bottom?.at ?? -1;
    /** @type {Map<string, number>} position up to which closers of a kind have no opener */
    const floors = new Map();
    let closer = this.#last_run;
    if (closer === bottom) return;
    while (closer !== null && closer.before !== bottom) closer = closer.before;
    while (closer !== null) {
      if (!closer.closes || closer.length === 0) {
        closer = closer.after;
        continue;
      }
      const kind = `${closer.mark}${closer.opens}${closer.whole % 3}`;
      const floor = floors.get(kind) ?? bottom_at;
      let opener = closer.before;
      while (opener !== null && opener.at > floor && !fits(opener, closer)) opener = opener.before;
      if (opener === null || opener.at <= floor) {
        floors.set(kind, closer.before?.at ?? bottom_at);
        if (!closer.opens) unlink(closer);
        closer = closer.after;
        continue;
      }
      join(opener, closer);
      opener.after = closer;
      closer.before = opener;
      if (opener.length === 0) unlink(opener);
      if (closer.length === 0) {
        unlink(closer);
        closer = closer.after;
      }
    }
    this.#last_run = bottom;
    if (bottom !== null) bottom.after = null;
  }
}

/** @param {Run} opener @param {Run} closer */
function fits(opener, closer) {
  if (!opener.opens || opener.mark !== closer.mark || opener.length === 0) return false;
  const both = opener.closes || closer.opens;
  return !both || (opener.whole + closer.whole) % 3 !== 0 || (opener.whole % 3 === 0 && closer.whole % 3 === 0);
}

/** @param {Run} opener @param {Run} closer */
function join(opener, closer) {
  const two = opener.length >= 2 && closer.length >= 2;
  const what = opener.mark === "~" ? "del" : two ? "strong" : "em";
  opener.opened.push({ type: "open", what });
  closer.closed.push({ type: "close", what });
  opener.length -= two ? 2 : 1;
  closer.length -= two ? 2 : 1;
}

/** @param {Run} run removed from the list; it keeps its neighbors */
function unlink(run) {
  if (run.before !== null) run.before.after = run.after;
  if (run.after !== null) run.after.before = run.before;
}

/** @param {(Piece | Run)[]} pieces @returns {Piece[]} */
function flatten(pieces) {
  const out = [];
  /** @param {string} text */
  const say = (text) => {
    const last = out[out.length - 1];
    if (last?.type === "text") last.text += text;
    else out.push({ type: "text", text });
  };
  for (const piece of pieces) {
    if (!("mark" in piece)) {
      if (piece.type === "text") say(piece.text ?? "");
      else out.push(piece);
      continue;
    }
    for (const closed of piece.closed) out.push(closed);
    if (piece.length > 0) say(piece.mark.repeat(piece.length));
    for (let i = piece.opened.length; i-- > 0;) out.push(piece.opened[i]);
  }
  return out;
}

/**
 * @param {string} text of a block
 * @param {Map<string, { href: string, title: string }>} references of its document
 * @returns {Piece[]}
 */
export function read_inline(text, references) {
  return new Scanner(text, references).scan();
}
