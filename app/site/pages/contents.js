// SPDX-License-Identifier: Apache-2.0
// The table of contents marks the section that is being read.

/** @type {(() => void) | null} */
let mark = null;
let is_waiting = false;

addEventListener("scroll", () => {
  if (mark === null || is_waiting) return;
  is_waiting = true;
  requestAnimationFrame(() => {
    is_waiting = false;
    mark?.();
  });
}, { passive: true });

/** @param {Document} page */
export function watch_contents(page) {
  mark = null;
  const links = new Map();
  for (const link of page.querySelectorAll(".contents a[href^='#']")) {
    const heading = page.getElementById(decodeURIComponent(link.getAttribute("href")?.slice(1) ?? ""));
    if (heading !== null) links.set(heading, link);
  }
  if (links.size === 0) return;
  const headings = [...links.keys()];
  mark = () => {
    // At the end of the page no further heading can get to the top.
    const is_end = scrollY + innerHeight >= page.documentElement.scrollHeight - 2;
    const line = is_end ? innerHeight : innerHeight / 4;
    const read = headings.filter((heading) => heading.getBoundingClientRect().top < line).pop() ?? headings[0];
    for (const [heading, link] of links) {
      if (heading === read) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  };
  mark();
}
