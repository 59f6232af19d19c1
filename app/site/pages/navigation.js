// SPDX-License-Identifier: Apache-2.0
// Follows links within the site without a reload: the same address is fetched, and its page replaces this one's.

const kFile = /\.(md|xml|txt|atom|svg|js|css)$/;

/** @param {Document | Element} root @returns {HTMLElement | null} */
const page_of = (root) => root.querySelector("#page");

const kBase = document.querySelector("meta[name=kbase-base]")?.getAttribute("content") ?? "";

/** @param {string} path */
const is_api = (path) => kBase !== "" && (path === kBase || path.startsWith(`${kBase}/`));

/** @param {URL} url @returns {boolean} whether the address is that of a page of the site */
export function is_page(url) {
  return url.origin === location.origin && !kFile.test(url.pathname) && !is_api(url.pathname);
}

let shown = () => {};
let left = () => {};
/** @type {AbortController | null} */
let running = null;

/** Shows the place of the page that the address names. */
function scroll_to_place() {
  const name = decodeURIComponent(location.hash.slice(1));
  const target = name === "" ? null : document.getElementById(name);
  if (target === null) scrollTo(0, history.state?.top ?? 0);
  else target.scrollIntoView();
}

/**
 * Shows the page of an address. A page that cannot be fetched is loaded by the browser, which says why.
 * @param {string} address @param {{ is_back?: boolean }} [how]
 */
export async function show(address, { is_back = false } = {}) {
  running?.abort();
  running = new AbortController();
  document.documentElement.classList.add("loading");
  try {
    const reply = await fetch(address, { signal: running.signal, headers: { Accept: "text/html" } });
    const html = await reply.text();
    const next = new DOMParser().parseFromString(html, "text/html");
    const page = page_of(next);
    if (page === null) throw new Error("no page");
    if (!is_back) {
      history.replaceState({ top: scrollY }, "");
      left(address);
      const hash = new URL(address, location.href).hash;
      history.pushState({}, "", reply.redirected ? reply.url + hash : address);
    }
    document.title = next.title;
    document.documentElement.lang = next.documentElement.lang;
    page_of(document)?.replaceWith(document.adoptNode(page));
    const field = document.querySelector(".find input");
    const words = next.querySelector(".find input")?.getAttribute("value") ?? "";
    if (field instanceof HTMLInputElement && document.activeElement !== field) field.value = words;
    shown();
    const main = document.querySelector("main");
    if (main !== null && !is_back) main.focus({ preventScroll: true });
    scroll_to_place();
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return;
    location.assign(address);
  } finally {
    document.documentElement.classList.remove("loading");
  }
}

/** @param {{ shown: () => void, left: (address: string) => void }} events */
export function start_navigation(events) {
  ({ shown, left } = events);
  history.scrollRestoration = "manual";
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
    if (!(link instanceof HTMLAnchorElement) || link.target !== "" || link.hasAttribute("download")) return;
    const url = new URL(link.href);
    if (!is_page(url)) return;
    if (url.pathname === location.pathname && url.search === location.search && url.hash !== "") return;
    event.preventDefault();
    void show(link.href);
  });
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || !form.matches(".find")) return;
    event.preventDefault();
    const q = String(new FormData(form).get("q") ?? "");
    if (q.trim() !== "") void show(`/search?q=${encodeURIComponent(q)}`);
  });
  addEventListener("popstate", () => void show(location.href, { is_back: true }));
}
