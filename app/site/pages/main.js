// SPDX-License-Identifier: Apache-2.0
// Enhances the pages of the server. Each page works without it.

import { watch_code } from "./code.js";
import { watch_contents } from "./contents.js";
import { mark_words, remember_words } from "./marks.js";
import { start_navigation } from "./navigation.js";
import { watch_problem } from "./problem.js";
import { start_dialog } from "./dialog.js";

/** Enhances what a page shows; called for each page. */
function enhance() {
  watch_code(document);
  watch_contents(document);
  watch_problem(document);
  mark_words(document);
}

start_navigation({ shown: enhance, left: remember_words });
start_dialog();
enhance();
