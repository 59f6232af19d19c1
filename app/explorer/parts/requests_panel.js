// SPDX-License-Identifier: Apache-2.0
// Shows the last requests, each with a command that makes it again.

import { h } from "../dom.js";
import { clock, milliseconds } from "../format.js";
import { curl_line } from "../request_log.js";
import { T } from "../texts.js";
import { panel } from "./panel.js";

/** @param {import("../request_log.js").Entry} entry */
function row(entry) {
  const { pathname, search } = new URL(entry.url);
  const command = h("code", {}, curl_line(entry));
  const said = h("span", { role: "status", class: "fine" });
  return h("li", {},
           h("p", { class: "request" }, h("b", {}, entry.method), " ", h("code", {}, `${pathname}${search}`)),
           h("p", { class: "fine" },
             h("span", { class: entry.status >= 200 && entry.status < 400 ? "good" : "bad" },
               entry.status === 0 ? T.requests_failed : entry.status),
             ` · ${milliseconds(entry.milliseconds)} · ${clock(entry.at)}${entry.free ? ` · ${T.requests_free}` : ""}`),
           h("pre", { tabindex: "0" }, command),
           h("p", {}, h("button", { type: "button", onclick: () => void copy(command, said) }, T.requests_copy), " ", said));
}

/**
 * Where the browser lends no clipboard (a page without TLS on another machine), the text is selected instead.
 * @param {HTMLElement} element @param {HTMLElement} said
 */
async function copy(element, said) {
  try {
    await navigator.clipboard.writeText(element.textContent ?? "");
    said.textContent = T.requests_copied;
  } catch {
    getSelection()?.selectAllChildren(element);
    said.textContent = T.requests_select;
  }
}

/** @param {import("../request_log.js").RequestLog} log */
export function requests_panel(log) {
  return panel(T.requests_button, () => [
    h("p", {}, log.entries.length === 0 ? T.requests_none : T.requests_text),
    h("ol", { class: "requests" }, log.entries.map(row))]);
}
