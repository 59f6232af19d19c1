// SPDX-License-Identifier: Apache-2.0
// Runs before the page is rendered, so that the colors and the position of the search field do not change visibly.
(function () {
  var root = document.documentElement;
  if (location.pathname === "/" && location.search === "") root.classList.add("home");
  try {
    var chosen = localStorage.getItem("kbase-theme");
    if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
  } catch (refused) {
    // Use the device's color scheme.
  }
})();
