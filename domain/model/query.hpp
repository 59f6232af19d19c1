// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "domain/base/result.hpp"

namespace kbase::model {

/// A node of a parsed query. Texts are as typed. The index splits, folds and stems them, with the analysis it applied
/// to its documents.
struct QueryNode {
  enum class Kind {
    AllOf,   ///< all children must match
    AnyOf,   ///< at least one child must match: words and phrases joined by OR
    Not,     ///< its only child, a Word, Prefix or Phrase, must not match
    Word,    ///< `text` is one word; if analysis splits it, each part is a separate required word. Items with one of
             ///< its children, Words and Phrases that are its synonyms, also match, below those with the word
    Prefix,  ///< any word that starts with `text`
    Phrase,  ///< the words of `text`, adjacent within one field or tag
  };

  Kind kind = Kind::AllOf;
  std::string text;                 ///< set for Word, Prefix and Phrase
  std::vector<QueryNode> children;  ///< set for AllOf, AnyOf and Not; for a Word below the root, its synonyms
  /// A Word below the root with this mark adds to the score of an item, but the all-words rule does not require it.
  bool is_optional = false;

  bool operator==(const QueryNode&) const = default;
};

inline constexpr std::size_t kMinQueryCodePoints = 2;
inline constexpr std::size_t kMaxQueryCodePoints = 2048;

/// How the last word of a query counts.
enum class LastWord {
  Whole,
  Beginning,  ///< as a Prefix, unless white space follows: it is still being typed
};

/// Parses `q` according to docs/guide/query-language.md: words, "a phrase", -word, -"a phrase", a OR b, prefix*. The
/// root is always an AllOf with Word, Prefix, Phrase, Not and AnyOf children. A stray quote or operator is text, as are
/// the options of a command line. InvalidArgument (parameter "q"): invalid UTF-8, or fewer than 2 or more than 2048
/// code points after trimming white space.
Result<QueryNode> parse_query(std::string_view q, LastWord last = LastWord::Whole);

/// The byte range [begin, end) of a query word within a text.
struct Highlight {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  bool operator==(const Highlight&) const = default;
};

enum class Sort { Relevance, Date, Popularity };

/// Threshold for the any-word rule (docs/guide/matching.md): it applies when fewer items than this in the whole
/// knowledge base contain every word. 0: never; kAlwaysAnyWord: always.
using FallbackBelow = std::uint64_t;
inline constexpr FallbackBelow kDefaultFallbackBelow = 10;
inline constexpr FallbackBelow kAlwaysAllWords = 0;
inline constexpr FallbackBelow kAlwaysAnyWord = std::numeric_limits<std::uint64_t>::max();

/// The rule that selected the matches. Also AllWords if both rules match the same items of the knowledge base.
enum class MatchRule { AllWords, AnyWord };

}  // namespace kbase::model
