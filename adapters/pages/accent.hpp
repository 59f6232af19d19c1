// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace kbase::pages {

/// Returns rules that give the pages an accent color, to be appended to their style. Made from `color` so that texts in
/// it, and on it, have a contrast of at least 4.5 in the light and in the dark scheme (WCAG 2.2, success criterion
/// 1.4.3): a color that is too light or too dark is mixed with black or white. Requires "#" and six hexadecimal digits.
std::string accent_style(std::string_view color);

}  // namespace kbase::pages
