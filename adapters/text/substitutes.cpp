// SPDX-License-Identifier: Apache-2.0
#include "adapters/text/substitutes.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/base/text.hpp"

namespace kbase::text {
namespace {

/// Finds out which substitutes an index knows.
class KnownSubstitutes {
 public:
  explicit KnownSubstitutes(WordLookup is_known) : is_known_(is_known) {}

  bool has_all(const std::vector<QueryPhrase>& alternative) {
    return std::all_of(alternative.begin(), alternative.end(), [this](const QueryPhrase& phrase) {
      return std::all_of(phrase.begin(), phrase.end(),
                         [this](const QueryWord& word) { return !word.is_substitute() || has(word); });
    });
  }

 private:
  /// Two clauses next to each other share the word that they make together.
  bool has(const QueryWord& word) {
    if (last_ != word.terms) {
      last_ = word.terms;
      is_last_known_ = is_known_({&word, 1});
    }
    return is_last_known_;
  }

  WordLookup is_known_;
  std::vector<std::string> last_;  // terms of the last word
  bool is_last_known_ = false;
};

bool is_single_word(const Clause& clause) {
  return clause.alternatives.size() == 1 && clause.alternatives[0].size() == 1 && clause.alternatives[0][0].size() == 1;
}

/// Returns the first two words of which the word consists and that are known, in these forms and together; empty: none
/// are.
QueryPhrase split_word(const QueryWord& word, Analyzer& analyzer, std::span<const Language> languages,
                       WordLookup is_known) {
  constexpr std::size_t kLongest = 20;  // bytes
  constexpr std::size_t kShortestPart = 2;
  const std::string_view whole = word.terms.front();
  if (word.prefix || word.quoted || whole.size() > kLongest) return {};
  for (std::size_t i = 1; i < whole.size(); ++i) {
    const std::array<std::string_view, 2> parts{whole.substr(0, i), whole.substr(i)};
    if (utf8::code_points(parts[0]) < kShortestPart || utf8::code_points(parts[1]) < kShortestPart ||
        utf8::sequence_length(parts[1]) == 0)
      continue;
    QueryPhrase two;
    for (const std::string_view part : parts) {
      auto analyzed = analyze_query_word(analyzer, part, languages);
      if (!analyzed || analyzed->prefix) break;
      // Without stems: a part of a misspelled word often has the stem of another word.
      QueryWord exact = *analyzed;
      exact.terms.resize(1);
      if (!is_known({&exact, 1})) break;
      analyzed->origin = WordOrigin::Spelling;
      two.push_back(*std::move(analyzed));
    }
    if (two.size() == 2 && is_known(two)) return two;
  }
  return {};
}

}  // namespace

void adapt_substitutes(Query& query, Analyzer& analyzer, std::span<const Language> languages, WordLookup is_known) {
  KnownSubstitutes substitutes(is_known);
  for (Clause& clause : query.clauses) {
    std::erase_if(clause.alternatives, [&](const auto& alternative) { return !substitutes.has_all(alternative); });
    clause.has_substitutes = clause.has_substitutes && clause.alternatives.size() > 1;
    if (clause.alternatives.size() > 1 || !is_single_word(clause)) continue;
    clause.is_known = is_known(clause.alternatives[0][0]);
    if (clause.is_known) continue;
    QueryPhrase two = split_word(clause.alternatives[0][0][0], analyzer, languages, is_known);
    if (two.empty()) continue;
    clause.alternatives.push_back({std::move(two)});
    clause.has_substitutes = true;
  }
}

}  // namespace kbase::text
