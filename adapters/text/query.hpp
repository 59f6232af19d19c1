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

/// One word of a query.
struct QueryWord {
  std::vector<std::string> terms;  ///< alternative terms, the exact form first; an item's word matches if it has any
  bool prefix = false;             ///< `terms` is a single prefix of the item's word
  bool quoted = false;             ///< part of a quoted phrase; not subject to spelling correction
  std::uint32_t times = 1;         ///< number of occurrences in the query; not part of equality

  bool operator==(const QueryWord& other) const {
    return terms == other.terms && prefix == other.prefix && quoted == other.quoted;
  }
};

/// One or more adjacent words within one field or tag. Only the last word can be a prefix.
using QueryPhrase = std::vector<QueryWord>;

/// One unit of the all-or-any rule. Matches if all phrases of at least one alternative match.
struct Clause {
  std::vector<std::vector<QueryPhrase>> alternatives;

  bool operator==(const Clause&) const = default;
};

/// A query in the form that an index evaluates: all phrases, no exclusion, and all or any of the clauses.
struct Query {
  std::vector<Clause> clauses;
  std::vector<QueryPhrase> phrases;
  std::vector<QueryPhrase> exclusions;

  /// Returns true if the query has no clause and no phrase; then no item matches.
  bool matches_nothing() const { return clauses.empty() && phrases.empty(); }
};

/// Analyzes the words of `root` like those of items, stemmed in each of `languages`. A Word that the analysis splits
/// becomes several clauses; inside alternatives all its parts must match. A Prefix or an exclusion that is split
/// becomes a phrase of its parts. Nodes without words and duplicates are dropped (but see QueryWord::times).
Query analyze_query(Analyzer& analyzer, const model::QueryNode& root, std::span<const Language> languages);

/// Returns the exact form of `text` if it is a single word, else nullopt.
std::optional<std::string> analyze_single_word(Analyzer& analyzer, std::string_view text);

}  // namespace kbase::text
