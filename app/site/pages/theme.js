// SPDX-License-Identifier: Apache-2.0
// Sets the theme that the reader chose. It runs before the page is drawn, so that the page does not change its colors.
{
  const chosen = localStorage.getItem("kbase-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
}
