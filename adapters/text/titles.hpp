// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "adapters/text/analyzer.hpp"

namespace kbase::text {

/// Adds the next token of a title to what fold_title() returns.
void add_title_word(std::string& title, const Token& token);

/// Returns the exact forms of the words of `text`, separated by spaces: titles with the same text are the same, word
/// for word.
std::string fold_title(Analyzer& analyzer, std::string_view text);

}  // namespace kbase::text
