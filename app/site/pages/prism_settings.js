// SPDX-License-Identifier: Apache-2.0
// Prism reads it when it is loaded, so it is a module of its own: code is colored only when code_colors.js says so.
window.Prism = { manual: true };
