// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "adapters/text/analyzer.hpp"

namespace kbase::text {

/// Passes the words of a title to `sink` in order, stemmed in `languages.content`, and the other stems that they have
/// in `languages.title` as a Part.
void analyze_title(Analyzer& analyzer, std::string_view text, ItemLanguages languages, Analyzer::Sink sink);

/// Returns the exact forms of the words of `text`, separated by spaces: titles with the same text are the same, word
/// for word.
std::string fold_title(Analyzer& analyzer, std::string_view text);

}  // namespace kbase::text
