// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "adapters/text/analyzer.hpp"

namespace kbase::fts5 {

/// Analysed words as a text that FTS5 carries to our tokenizer, which so has no more to do than cut it: each term
/// behind one of these bytes. Terms have no control characters. The text of an MATCH expression must have no NUL.
inline constexpr char kNextPosition = '\x01';
inline constexpr char kSamePosition = '\x02';

void append_term(std::string& stream, char where, std::string_view term);

/// Appends the words of `text`, with their stems behind text::kStemMark at the same position.
void append_text(std::string& stream, text::Analyzer& analyzer, std::string_view text, text::Language language);

/// Appends a word that no query has, so that no phrase reaches over it.
void append_border(std::string& stream);

/// The words of tags that packed_tags() gave, with a border between two tags.
void append_tags(std::string& stream, text::Analyzer& analyzer, std::string_view tags, text::Language language);

}  // namespace kbase::fts5
