// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "domain/model/result.hpp"

namespace kbase::model {

/// A node of a parsed query. Texts are as the user typed them, not analysed: words are split, folded and stemmed by
/// the index, which alone knows how its texts were.
struct QueryNode {
  enum class Kind {
    AllOf,   ///< every child
    AnyOf,   ///< at least one child: words and phrases joined by OR
    Not,     ///< its one child, a Word, Prefix or Phrase, must not occur
    Word,    ///< `text` is one word; where analysis makes several of it, each counts as a word of its own
    Prefix,  ///< any word that starts with `text`
    Phrase,  ///< the words of `text`, side by side within one field or tag
  };

  Kind kind = Kind::AllOf;
  std::string text;                 ///< of Word, Prefix and Phrase
  std::vector<QueryNode> children;  ///< of AllOf, AnyOf and Not

  bool operator==(const QueryNode&) const = default;
};

inline constexpr std::size_t kMinQueryCodePoints = 2;
inline constexpr std::size_t kMaxQueryCodePoints = 512;  ///< so a tree has at most 512 nodes too

/// Parses `q` by docs/guide/query-language.md: words, "a phrase", -word, -"a phrase", a OR b, prefix*. The root is
/// always an AllOf of Word, Prefix, Phrase, Not and AnyOf. A stray quote or operator is text, so the only errors are
/// InvalidArgument (parameter "q") for invalid UTF-8 and for fewer than 2 or more than 512 code points after trimming
/// white space.
Result<QueryNode> parse_query(std::string_view q);

/// The bytes [begin, end) of a text: a word of it that a query asks for.
struct Highlight {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  bool operator==(const Highlight&) const = default;
};

enum class Sort { Relevance, Date, Popularity };

/// When any one of a query's words is enough (docs/guide/matching.md): where fewer than this many items of the whole
/// knowledge base have every word. 0: never; kAlwaysAnyWord: always.
using FallbackBelow = std::uint64_t;
inline constexpr FallbackBelow kDefaultFallbackBelow = 10;
inline constexpr FallbackBelow kAlwaysAllWords = 0;
inline constexpr FallbackBelow kAlwaysAnyWord = std::numeric_limits<std::uint64_t>::max();

/// The rule that decided what matched. AllWords too where both rules match the same items of the knowledge base.
enum class MatchRule { AllWords, AnyWord };

}  // namespace kbase::model
