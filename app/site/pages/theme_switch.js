// SPDX-License-Identifier: Apache-2.0
// The button that changes the theme: as the device says, light, dark.

const kKey = "kbase-theme";
const kThemes = /** @type {const} */ (["auto", "light", "dark"]);
const kSigns = { auto: "◐", light: "☀", dark: "☾" };

export function start_theme_switch() {
  const button = document.querySelector("button.theme");
  if (!(button instanceof HTMLButtonElement)) return;
  const chosen = () => kThemes.find((each) => each === document.documentElement.dataset.theme) ?? "auto";
  const show = () => {
    button.textContent = kSigns[chosen()];
    button.setAttribute("aria-label", `Theme: ${chosen()}`);
    button.title = `Theme: ${chosen()}`;
  };
  button.hidden = false;
  show();
  button.addEventListener("click", () => {
    const next = kThemes[(kThemes.indexOf(chosen()) + 1) % kThemes.length];
    if (next === "auto") {
      delete document.documentElement.dataset.theme;
      localStorage.removeItem(kKey);
    } else {
      document.documentElement.dataset.theme = next;
      localStorage.setItem(kKey, next);
    }
    show();
  });
}
