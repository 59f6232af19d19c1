// SPDX-License-Identifier: Apache-2.0
#include "adapters/text/substitutes.hpp"

#include <algorithm>
#include <vector>

#include "adapters/opensearch/search.hpp"
#include "domain/base/result.hpp"

namespace kbase::opensearch {
namespace {

/// Maximum number of clauses whose words are split. A word of 20 letters has 17 pairs of parts.
constexpr std::size_t kMaxSplitClauses = 16;

/// Returns the words and pairs of words that text::adapt_substitutes() may ask for.
std::vector<text::QueryPhrase> list_lookups(text::Query query, text::Analyzer& analyzer,
                                            std::span<const text::Language> languages) {
  std::vector<text::QueryPhrase> lookups;
  const auto is_typed = [&query](std::span<const text::QueryWord> words) {
    return std::any_of(query.clauses.begin(), query.clauses.end(), [words](const text::Clause& clause) {
      return clause.alternatives.front().front().data() == words.data();
    });
  };
  text::adapt_substitutes(query, analyzer, languages, [&](std::span<const text::QueryWord> words) {
    lookups.emplace_back(words.begin(), words.end());
    // If the index had no word of the query and each part of one, all pairs of parts would be asked for.
    return words.size() == 1 && !words.front().is_substitute() && !is_typed(words);
  });
  return lookups;
}

Json make_lookup_request(const std::vector<text::QueryPhrase>& lookups) {
  Json filters = Json::array();
  for (const text::QueryPhrase& each : lookups) filters.push_back(match_phrase(each, each.size()));
  return {{"size", 0},
          {"query", {{"terms", {{"kind", {kItem, kState}}}}}},
          {"aggs", {{"lookups", {{"filters", {{"filters", std::move(filters)}}}}}, {"state", state_aggregation()}}}};
}

}  // namespace

/// Returns whether the query has changed. nullopt: another state was published in the meantime.
Result<std::optional<bool>> Search::adapt_substitutes(const IndexSummary& summary, text::Query& query) {
  if (query.clauses.empty() || query.clauses.size() > kMaxSplitClauses) return std::optional(false);
  const std::vector<text::QueryPhrase> lookups = list_lookups(query, dependencies_.analyzer, summary.languages);
  if (lookups.empty()) return std::optional(false);
  const auto response = KBASE_TRY(dependencies_.server.execute(call_, {.path = dependencies_.reader.search_path(),
                                                                       .body = serialize(make_lookup_request(lookups)),
                                                                       .attempts = kReadAttempts}));
  if (!is_same_state(summary, parse_aggregated_state(response))) return std::optional<bool>();
  const Json& counts = member(member(member(response, "aggregations"), "lookups"), "buckets");
  if (!counts.is_array() || counts.size() != lookups.size())
    return invalid_response("the response to a lookup of words has another number of counts");
  const std::vector<text::Clause> before = query.clauses;
  text::adapt_substitutes(query, dependencies_.analyzer, summary.languages,
                          [&](std::span<const text::QueryWord> words) {
                            const auto found = std::find_if(lookups.begin(), lookups.end(), [words](const auto& each) {
                              return std::equal(each.begin(), each.end(), words.begin(), words.end());
                            });
                            if (found == lookups.end()) return false;
                            return number(counts[static_cast<std::size_t>(found - lookups.begin())], "doc_count") != 0U;
                          });
  return std::optional(query.clauses != before);
}

}  // namespace kbase::opensearch
