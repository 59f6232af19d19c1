// SPDX-License-Identifier: Apache-2.0
// Colours of code, by highlight.js with the languages that documentation has most.

import core from "highlight.js/lib/highlight.js";
import bash from "highlight.js/lib/languages/bash.js";
import cpp from "highlight.js/lib/languages/cpp.js";
import css from "highlight.js/lib/languages/css.js";
import diff from "highlight.js/lib/languages/diff.js";
import go from "highlight.js/lib/languages/go.js";
import ini from "highlight.js/lib/languages/ini.js";
import java from "highlight.js/lib/languages/java.js";
import javascript from "highlight.js/lib/languages/javascript.js";
import json from "highlight.js/lib/languages/json.js";
import php from "highlight.js/lib/languages/php.js";
import python from "highlight.js/lib/languages/python.js";
import ruby from "highlight.js/lib/languages/ruby.js";
import rust from "highlight.js/lib/languages/rust.js";
import shell from "highlight.js/lib/languages/shell.js";
import sql from "highlight.js/lib/languages/sql.js";
import typescript from "highlight.js/lib/languages/typescript.js";
import xml from "highlight.js/lib/languages/xml.js";
import yaml from "highlight.js/lib/languages/yaml.js";

const kLanguages = { bash, cpp, css, diff, go, ini, java, javascript, json, php, python, ruby, rust, shell, sql, typescript, xml, yaml };
for (const [name, language] of Object.entries(kLanguages)) core.registerLanguage(name, language);

/** @param {Element} code */
export function highlight(code) {
  const name = /\blanguage-(\S+)/.exec(code.className)?.[1] ?? "";
  if (core.getLanguage(name) && !code.querySelector("span")) core.highlightBlock(code);
}
