// SPDX-License-Identifier: Apache-2.0
// The table of contents marks the section that is being read.

/** @type {IntersectionObserver | null} */
let observer = null;

/** @param {Document} page */
export function watch_contents(page) {
  observer?.disconnect();
  const links = new Map();
  for (const link of page.querySelectorAll(".contents a[href^='#']")) {
    const heading = page.getElementById(decodeURIComponent(link.getAttribute("href")?.slice(1) ?? ""));
    if (heading !== null) links.set(heading, link);
  }
  if (links.size === 0) return;
  const headings = [...links.keys()];
  const mark = () => {
    const read = headings.filter((heading) => heading.getBoundingClientRect().top < innerHeight / 4).pop() ?? headings[0];
    for (const [heading, link] of links) {
      if (heading === read) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  };
  observer = new IntersectionObserver(mark, { rootMargin: "0px 0px -75% 0px" });
  for (const heading of headings) observer.observe(heading);
  mark();
}
