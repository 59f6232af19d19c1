// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace kbase::text {

/// Folds case, width and compatibility variants: NFKC_Casefold (Unicode 3.13, R5) in composed form, which is also the
/// form that stemmers expect. `word` must be valid UTF-8.
std::string case_folded(std::string_view word);

/// Removes the marks that readers omit when they type: Latin, Greek and Cyrillic accents, Arabic and Hebrew vowel
/// signs. Letters without a Unicode decomposition (ø, ł, æ) become their usual ASCII spelling. `word` must be valid
/// UTF-8 in NFC.
std::string accent_folded(std::string_view word);

}  // namespace kbase::text
