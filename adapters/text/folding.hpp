// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace kbase::text {

/// The words of all writings that differ in case, width and the like are one: NFKC_Casefold (Unicode 3.13, R5),
/// composed, which is also what stemmers expect. Of valid UTF-8.
std::string case_folded(std::string_view word);

/// Without the marks that readers leave out when they type: Latin, Greek and Cyrillic accents, Arabic and Hebrew vowel
/// signs; letters that Unicode gives no accent to decompose into (ø, ł, æ) become the ones they are typed as. Of valid
/// UTF-8 in NFC.
std::string accent_folded(std::string_view word);

}  // namespace kbase::text
