// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "adapters/text/analyzer.hpp"
#include "domain/model/item.hpp"

namespace kbase::opensearch {

/// Texts as the index is given them: analysed words, parted by spaces. Names of one word, which stand at one position,
/// are parted by kSamePosition; the index's analyzer (see schema) takes them apart again and does nothing else.
inline constexpr char kSamePosition = '|';

/// How much a word counts in each field: it is written that often into the streams that rank, which makes BM25 of them
/// BM25F (Robertson, Zaragoza, Taylor 2004).
inline constexpr int kTitleWeight = 4;
inline constexpr int kTagWeight = 2;

/// Stands for no word: between fields and tags, where no phrase may pass, and in place of an exact form that is none.
inline constexpr std::string_view kNoWord = ",";

/// What an item is found by.
struct Streams {
  std::string text;   ///< each word, and its stem behind text::kStemMark, which may be the word: what matches
  std::string words;  ///< the stem of each word, or the word where it has none: what ranks
  std::string exact;  ///< as many, the word where that is not its stem, or kNoWord: what ranks the exact form higher
};

Streams streams_of(text::Analyzer& analyzer, const model::ItemView& item, text::Language language);

/// Puts `name` into a stream, at the next position or that of the one before. White space and separators within it,
/// which a few folded characters bring along, become `_`, which no word has.
void append_name(std::string& stream, std::string_view name, bool at_same_position);

}  // namespace kbase::opensearch
