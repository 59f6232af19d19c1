// SPDX-License-Identifier: Apache-2.0
// Runs before the page is drawn, so that it never appears as it will not stay: in colours that the visitor did not
// choose, or with the search field in another place.
(function () {
  var root = document.documentElement;
  if (location.pathname === "/" && location.search === "") root.classList.add("home");
  try {
    var chosen = localStorage.getItem("kbase-theme");
    if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
  } catch (refused) {
    // The device's colours, then.
  }
})();
