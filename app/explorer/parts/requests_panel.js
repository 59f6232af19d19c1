// SPDX-License-Identifier: Apache-2.0
// Shows the last requests, each with a command that repeats it.

import { copy_text } from "../clipboard.js";
import { fill, h } from "../dom.js";
import { clock, milliseconds } from "../format.js";
import { curl_line } from "../request_log.js";
import { T } from "../texts.js";
import { panel } from "./panel.js";

/** @param {import("../request_log.js").Entry} entry */
function row(entry) {
  const { pathname, search } = new URL(entry.url);
  const command = h("code", {}, curl_line(entry));
  const copy_status = h("span", { role: "status", class: "fine" });
  const copy = async () => { copy_status.textContent = (await copy_text(command)) ? T.requests_copied : T.requests_select; };
  return h("li", {},
           h("p", { class: "request" }, h("b", {}, entry.method), " ", h("code", {}, `${pathname}${search}`)),
           h("p", { class: "fine" },
             h("span", { class: entry.status >= 200 && entry.status < 400 ? "good" : "bad" },
               entry.status === 0 ? T.requests_failed : entry.status),
             ` · ${milliseconds(entry.milliseconds)} · ${clock(entry.at)}${entry.free ? ` · ${T.requests_free}` : ""}`),
           h("pre", { tabindex: "0" }, command),
           h("p", {}, h("button", { type: "button", onclick: copy }, T.requests_copy), " ", copy_status));
}

/** @param {import("../request_log.js").RequestLog} log */
export function requests_panel(log) {
  const text = h("p");
  const rows = h("ol", { class: "requests" });
  const it = panel(T.requests_button, () => {
    text.textContent = log.entries.length === 0 ? T.requests_none : T.requests_text;
    fill(rows, log.entries.map(row));
    return [text, rows];
  });
  log.on_entry((entry) => {
    if (!it.is_open) return;
    text.textContent = T.requests_text;
    rows.prepend(row(entry));  // above the entries that the visitor may be reading
  });
  return it;
}
