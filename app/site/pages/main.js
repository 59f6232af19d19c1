// SPDX-License-Identifier: Apache-2.0
// Enhances the pages of the server. Each page works without it.

import { watch_code } from "./code.js";
import { watch_contents } from "./contents.js";
import { name_languages } from "./languages.js";
import { mark_words, remember_words } from "./marks.js";
import { start_navigation } from "./navigation.js";
import { watch_problem } from "./problem.js";
import { start_dialog } from "./dialog.js";
import { watch_reference } from "./reference.js";
import { start_theme_switch } from "./theme_switch.js";

/** Shows the place in the menu of the article that is read. */
function show_place() {
  const menu = document.getElementById("menu");
  const here = menu?.querySelector("[aria-current]");
  if (menu === null || !(here instanceof HTMLElement) || menu.scrollHeight <= menu.clientHeight) return;
  menu.scrollTop = here.offsetTop - menu.clientHeight / 2;
}

/** Enhances what a page shows; called for each page. */
function enhance() {
  watch_code(document);
  watch_contents(document);
  watch_problem(document);
  mark_words(document);
  name_languages(document);
  watch_reference(document);
  const account = document.querySelector("main.account");
  if (account instanceof HTMLElement) void import("./account.js").then(({ show_account }) => show_account(account));
  const feedback = document.querySelector(".feedback");
  if (feedback instanceof HTMLElement) void import("./feedback.js").then(({ watch_feedback }) => watch_feedback(feedback));
  show_place();
}

start_navigation({ shown: enhance, left: remember_words });
start_dialog();
start_theme_switch();
enhance();
