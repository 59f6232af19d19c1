// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/text/analyzer.hpp"
#include "domain/model/query.hpp"

namespace kbase::text {

/// Prefix of stem terms. An index has two kinds of terms: the exact form of a word, and, behind this mark, its stem if
/// it differs. `runs` is indexed as "runs" and "~run", `run` as "run" only.
inline constexpr char kStemMark = '~';

/// Maximum number of languages in which the words of a query are stemmed, and the minimum share of items in a language
/// for it to be used.
inline constexpr std::size_t kMaxQueryLanguages = 3;
inline constexpr double kMinLanguageShare = 0.05;

/// Maximum number of words outside of phrases that count. A query of 2,048 characters without spaces has as many pairs.
inline constexpr std::size_t kMaxQueryWords = 256;

/// Where a word of a query comes from. Only typed words are subject to spelling correction; others have less weight.
enum class WordOrigin : std::uint8_t { Typed, Spelling, Synonym };

/// One word of a query.
struct QueryWord {
  std::vector<std::string> terms;  ///< alternative terms, the exact form first; an item's word matches if it has any
  bool prefix = false;             ///< `terms` is a single prefix of the item's word
  bool quoted = false;             ///< part of a quoted phrase; not subject to spelling correction
  WordOrigin origin = WordOrigin::Typed;  ///< not part of equality
  std::string typed = {};                 ///< as typed; not part of equality
  std::uint32_t times = 1;                ///< number of occurrences in the query; not part of equality

  bool is_substitute() const { return origin != WordOrigin::Typed; }

  bool operator==(const QueryWord& other) const {
    return terms == other.terms && prefix == other.prefix && quoted == other.quoted;
  }
};

/// One or more adjacent words within one field or tag. Only the last word can be a prefix.
using QueryPhrase = std::vector<QueryWord>;

/// One unit of the all-or-any rule. Matches if all phrases of at least one alternative match. The first alternative is
/// as typed; others may be its substitutes: other spellings and synonyms.
struct Clause {
  std::vector<std::vector<QueryPhrase>> alternatives;
  bool has_substitutes = false;  ///< all alternatives but the first are substitutes of that; not part of equality
  bool is_optional = false;      ///< the all-words rule does not require it
  bool is_known = false;         ///< the index has the word, see substitutes.hpp; not part of equality

  bool operator==(const Clause& other) const {
    return alternatives == other.alternatives && is_optional == other.is_optional;
  }
};

/// A query in the form that an index evaluates: all phrases, no exclusion, and all or any of the clauses.
struct Query {
  std::vector<Clause> clauses;
  std::vector<QueryPhrase> phrases;
  std::vector<QueryPhrase> exclusions;
  std::string title;  ///< the words of the query, see fold_title(); empty: the query cannot be a title
  std::vector<QueryPhrase> together = {};  ///< the words of each Word that the analysis splits, for excerpts

  /// Returns true if the query has no clause and no phrase; then no item matches.
  bool matches_nothing() const { return clauses.empty() && phrases.empty(); }
};

/// Analyzes the words of `root` like those of items, stemmed in each of `languages`. A Word that the analysis splits
/// becomes several clauses; inside alternatives all its parts must match. A Prefix or an exclusion that is split
/// becomes a phrase of its parts. Dropped are words after the first kMaxQueryWords, nodes
/// without words, and duplicates (but see QueryWord::times). If only optional clauses remain, they are required.
///
/// Spellings meet: words that a mark joins, and neighbouring Words, also match as one word (`wi-fi` and `wi fi` match
/// `wifi`), and a word of letters and digits also matches as its pieces (`sha512` matches `sha 512`). The synonyms of a
/// Word are substitutes of each of its clauses.
Query analyze_query(Analyzer& analyzer, const model::QueryNode& root, std::span<const Language> languages);

/// Analyzes one word like analyze_query(). nullopt: it is no word, or several.
std::optional<QueryWord> analyze_query_word(Analyzer& analyzer, std::string_view word,
                                            std::span<const Language> languages);

/// Returns the exact form of `text` if it is a single word, else nullopt.
std::optional<std::string> analyze_single_word(Analyzer& analyzer, std::string_view text);

}  // namespace kbase::text
