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

/// Before the stem in a term. An index has two kinds of terms: a word's exact form, and behind this mark its stem where
/// that is another text. So `runs` is found as "runs" and "~run", `run` as "run" alone.
inline constexpr char kStemMark = '~';

/// The most languages a query's words are stemmed in, and the share of the items that each of them needs.
inline constexpr std::size_t kMaxQueryLanguages = 3;
inline constexpr double kMinLanguageShare = 0.05;

/// One word of a query.
struct QueryWord {
  std::vector<std::string> terms;  ///< an item's word is this one where it has any of these; the exact form first
  bool prefix = false;             ///< `terms` is one text that the item's word starts with
  bool quoted = false;             ///< it stood in quotes: nothing else is meant
  std::uint32_t times = 1;         ///< how often the query has it here, which makes it no other word

  bool operator==(const QueryWord& other) const {
    return terms == other.terms && prefix == other.prefix && quoted == other.quoted;
  }
};

/// Words side by side within one field or tag; at least one. Only its last one can be a prefix.
using QueryPhrase = std::vector<QueryWord>;

/// What counts as one word in the all-or-any rule: at least one of the alternatives, each with all its phrases.
struct Clause {
  std::vector<std::vector<QueryPhrase>> alternatives;

  bool operator==(const Clause&) const = default;
};

/// A query as an index is asked it: every phrase, no exclusion, and all or any of the clauses.
struct Query {
  std::vector<Clause> clauses;
  std::vector<QueryPhrase> phrases;
  std::vector<QueryPhrase> exclusions;

  /// Nothing but exclusions, or not even those: no item matches.
  bool matches_nothing() const { return clauses.empty() && phrases.empty(); }
};

/// Analyses the words of `root` as those of items are, stemmed in each of `languages`. A Word that analysis splits is
/// that many clauses; among alternatives it has to be there with all its parts; a Prefix or an exclusion that is split
/// stands for its parts side by side. Nodes without a word are left out, repeated ones too (but see QueryWord::times).
Query analyze_query(Analyzer& analyzer, const model::QueryNode& root, std::span<const Language> languages);

/// The exact form of a text that is one word, as it is typed; none of a text that is not.
std::optional<std::string> one_word(Analyzer& analyzer, std::string_view text);

}  // namespace kbase::text
