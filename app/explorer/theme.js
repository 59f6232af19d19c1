// SPDX-License-Identifier: Apache-2.0
// Runs before the page is drawn, so that it never appears in the colours that the visitor did not choose.
(function () {
  try {
    var chosen = localStorage.getItem("kbase-theme");
    if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
  } catch (refused) {
    // The device's colours, then.
  }
})();
