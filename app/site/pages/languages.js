// SPDX-License-Identifier: Apache-2.0

/** Replaces the tags of languages by their names in the language of the page. */
export function name_languages(part) {
  const names = new Intl.DisplayNames([document.documentElement.lang || "en"], { type: "language", fallback: "code" });
  for (const each of part.querySelectorAll("[data-language-tag]")) {
    try {
      each.textContent = names.of(each.dataset.languageTag);
    } catch {
      // An item may have a language that is not a valid tag (BCP 47).
    }
  }
}
