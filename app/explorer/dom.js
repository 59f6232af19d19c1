// SPDX-License-Identifier: Apache-2.0
// Creates elements without parsing markup from strings, so that no text of an article or a response can become an
// element, an attribute or a script.

const kSvg = "http://www.w3.org/2000/svg";

/** @param {Element} element @param {Record<string, unknown>} properties */
function apply(element, properties) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function" && name.startsWith("on")) {
      element.addEventListener(name.slice(2), value);
    } else if (value === true) {
      element.setAttribute(name, "");
    } else {
      element.setAttribute(name, String(value));
    }
  }
}

/**
 * @typedef {Node | string | number | null | undefined | false} Child
 * Creates an HTML element. Properties are attributes; `onNAME` are listeners; null, undefined and false are
 * omitted.
 * @param {string} tag
 * @param {Record<string, unknown>} [properties]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElement}
 */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  apply(element, properties);
  append(element, children);
  return element;
}

/**
 * Creates an SVG element, with the rules of h().
 * @param {string} tag
 * @param {Record<string, unknown>} [properties]
 * @param {...(Child | Child[])} children
 * @returns {SVGElement}
 */
export function svg(tag, properties = {}, ...children) {
  const element = document.createElementNS(kSvg, tag);
  apply(element, properties);
  append(element, children);
  return element;
}

/** @param {Element | DocumentFragment} parent @param {(Child | Child[])[]} children */
function append(parent, children) {
  for (const child of children) {
    if (Array.isArray(child)) append(parent, child);
    else if (child !== null && child !== undefined && child !== false) {
      parent.append(typeof child === "number" ? String(child) : child);
    }
  }
}

/**
 * Replaces the children of an element.
 * @param {Element} element
 * @param {...(Child | Child[])} children
 */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
}

/**
 * Text of unknown language and direction, isolated from the surrounding text.
 * @param {string} text
 */
export function own(text) {
  return h("bdi", { lang: "" }, text);
}

/**
 * @param {string} hash of an address
 * @returns {HTMLElement | null} the element with this id
 */
export function heading_named(hash) {
  try {
    return document.getElementById(decodeURIComponent(hash.slice(1)));
  } catch {
    return null;  // not percent-encoded, so not one of the page's ids
  }
}

const kIcons = {
  search: ["M10.5 4a6.5 6.5 0 1 0 0 13a6.5 6.5 0 0 0 0-13Z", "M15.3 15.3 20 20"],
  light: ["M12 8a4 4 0 1 0 0 8a4 4 0 0 0 0-8Z", "M12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4"],
  dark: ["M19.5 14.2A8 8 0 0 1 9.8 4.5a8 8 0 1 0 9.7 9.7Z"],
  auto: ["M12 4a8 8 0 1 0 0 16a8 8 0 0 0 0-16Z", "M12 4v16M12 8l5.6-2M12 12h8M12 16l5.6 2"],
  key: ["M8 10.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 0 0 0-9Z", "M11.3 11.8 19.5 3.5M16 7l3 3"],
  close: ["M6 6l12 12M18 6 6 18"],
};

/** @param {keyof typeof kIcons} name icon without a text alternative: a text is always next to it */
export function icon(name) {
  return svg("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true", focusable: "false" },
             kIcons[name].map((d) => svg("path", { d })));
}
