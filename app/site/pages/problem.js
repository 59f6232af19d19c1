// SPDX-License-Identifier: Apache-2.0
// A page that says what is wrong asks again by itself, and shows the seconds until then.

import { show } from "./navigation.js";

/** @type {number | undefined} */
let timer;

/** @param {Document} page */
export function watch_problem(page) {
  clearInterval(timer);
  const line = page.querySelector(".retry");
  if (!(line instanceof HTMLElement)) return;
  let left = Number(line.dataset.seconds);
  const show_seconds = () => { line.textContent = `This page tries again in ${left} second${left === 1 ? "" : "s"}.`; };
  show_seconds();
  timer = setInterval(() => {
    if (--left > 0) return show_seconds();
    clearInterval(timer);
    void show(location.href, { is_back: true });
  }, 1000);
}
