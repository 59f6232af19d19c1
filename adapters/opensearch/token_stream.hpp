// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "adapters/text/analyzer.hpp"
#include "domain/model/item.hpp"

namespace kbase::opensearch {

/// Token streams that are written to the index: analysed words separated by spaces. Names of one word share a position
/// and are separated by kSamePosition. The index's analyzer (see schema.hpp) only splits the streams.
inline constexpr char kSamePosition = '|';

/// Weight of a word in each field: the word is repeated that often in the streams used for ranking, which turns their
/// BM25 into BM25F (Robertson, Zaragoza, Taylor 2004).
inline constexpr int kTitleWeight = 4;
inline constexpr int kTagWeight = 2;

/// Placeholder for no word: between fields and tags, so that no phrase matches across them, and for a missing exact
/// form.
inline constexpr std::string_view kNoWord = ",";

/// Token streams of an item.
struct Streams {
  std::string text;   ///< matching: each word, and its stem after text::kStemMark (can equal the word)
  std::string words;  ///< ranking: the stem of each word, or the word if it has no stem
  std::string exact;  ///< ranking of exact forms: the word if it differs from its stem, else kNoWord
};

Streams streams_of(text::Analyzer& analyzer, const model::ItemView& item, text::Language language);

/// Appends `name` to a stream, at the next position or at the previous one. White space and separators in it, which
/// some folded characters contain, become `_`, which no word contains.
void append_name(std::string& stream, std::string_view name, bool at_same_position);

}  // namespace kbase::opensearch
