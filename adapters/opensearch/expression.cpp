// SPDX-License-Identifier: Apache-2.0
#include "adapters/opensearch/expression.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "adapters/opensearch/document.hpp"
#include "adapters/opensearch/token_stream.hpp"

namespace kbase::opensearch {
namespace {

/// Weight of a word's exact form, in addition to the score of any form.
constexpr double kExactWeight = 0.2;

/// Constant score of a prefix match.
constexpr double kPrefixWeight = 1.0;

/// Keeps the score above 0 for an item that matches only a form without weight; negligible next to any other score.
constexpr double kLeastScore = 1e-9;

/// Larger than the number of words with any prefix; the default of 50 would omit items.
constexpr int kMaxExpansions = 10'000'000;

/// Maximum number of scored words. OpenSearch accepts 1,024 clauses (indices.query.bool.max_clause_count): matching can
/// use one for each of the 512 characters of a query, and scoring uses two per word.
constexpr std::size_t kMostRankedWords = 240;

/// Weight of a repeated word: BM25's saturation of query terms, k3.
double repetition(std::uint32_t times) {
  constexpr double kRepeats = 8;
  return times * (kRepeats + 1) / (times + kRepeats);
}

Json any_of(Json queries) {
  if (queries.size() == 1) return queries[0];
  return {{"bool", {{"should", std::move(queries)}, {"minimum_should_match", 1}}}};
}

Json all_of(Json queries) {
  if (queries.size() == 1) return queries[0];
  return {{"bool", {{"filter", std::move(queries)}}}};
}

std::string name(std::string_view term) {
  std::string sound;
  append_name(sound, term, false);
  return sound.substr(1);
}

/// Joins the names of one word at one position.
std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& each : names) append_name(text, each, !text.empty());
  return text.substr(1);
}

/// Returns the distinct terms of a word without the stem mark, as they occur in the field `words`.
std::vector<std::string> stems_of(const text::QueryWord& word) {
  std::vector<std::string> stems;
  for (std::string stem : word.terms) {
    if (stem.front() == text::kStemMark) stem.erase(0, 1);
    if (std::find(stems.begin(), stems.end(), stem) == stems.end()) stems.push_back(std::move(stem));
  }
  return stems;
}

/// Returns the terms of a word in the field `text`: the typed form and all its stems, as the native index matches it.
std::vector<std::string> names_of(const text::QueryWord& word) {
  std::vector<std::string> names{word.terms.front()};
  if (word.prefix) return names;
  for (const std::string& stem : stems_of(word)) names.push_back(text::kStemMark + stem);
  return names;
}

// ----------------------------------------------------------------------------------------------- matching

Json word(const text::QueryWord& word) {
  if (word.prefix) return {{"prefix", {{"text", {{"value", name(word.terms.front())}}}}}};
  Json terms = Json::array();
  for (const std::string& each : names_of(word)) terms.push_back(name(each));
  return {{"terms", {{"text", std::move(terms)}}}};
}

Json phrase(const text::QueryPhrase& words) {
  if (words.size() == 1) return word(words.front());
  std::string text;
  for (const text::QueryWord& each : words) text += (text.empty() ? "" : " ") + joined(names_of(each));
  if (!words.back().prefix) return {{"match_phrase", {{"text", std::move(text)}}}};
  return {{"match_phrase_prefix", {{"text", {{"query", std::move(text)}, {"max_expansions", kMaxExpansions}}}}}};
}

Json clause(const text::Clause& clause) {
  Json alternatives = Json::array();
  for (const auto& alternative : clause.alternatives) {
    Json parts = Json::array();
    for (const text::QueryPhrase& part : alternative) parts.push_back(phrase(part));
    alternatives.push_back(all_of(std::move(parts)));
  }
  return any_of(std::move(alternatives));
}

// ----------------------------------------------------------------------------------------------- scoring

/// Returns each wanted word once, with the number of times it occurs in the query.
std::vector<text::QueryWord> wanted_words(const text::Query& query) {
  std::vector<text::QueryWord> words;
  const auto add = [&words](const text::QueryPhrase& phrase) {
    for (const text::QueryWord& each : phrase) {
      const auto known = std::find_if(words.begin(), words.end(), [&](const text::QueryWord& word) {
        return word.terms == each.terms && word.prefix == each.prefix;
      });
      if (known == words.end())
        words.push_back(each);
      else
        known->times += each.times;
    }
  };
  for (const text::Clause& each : query.clauses)
    for (const auto& alternative : each.alternatives)
      for (const text::QueryPhrase& part : alternative) add(part);
  for (const text::QueryPhrase& each : query.phrases) add(each);
  return words;
}

Json match(const char* field, const std::string& words, double weight) {
  return {{"match", {{field, {{"query", words}, {"boost", weight}}}}}};
}

Json worth(const text::Query& query) {
  Json scores = Json::array();
  std::vector<text::QueryWord> words = wanted_words(query);
  if (words.size() > kMostRankedWords) words.resize(kMostRankedWords);
  for (const text::QueryWord& each : words) {
    const double weight = repetition(each.times);
    if (each.prefix) {
      scores.push_back({{"constant_score", {{"filter", word(each)}, {"boost", kPrefixWeight * weight}}}});
      continue;
    }
    scores.push_back(match("words", joined(stems_of(each)), weight));
    scores.push_back(match("exact", name(each.terms.front()), kExactWeight * weight));
  }
  scores.push_back({{"match_all", {{"boost", kLeastScore}}}});
  return scores;
}

}  // namespace

Expression expression_of(const text::Query& query) {
  Json clauses = Json::array();
  Json phrases = Json::array();
  Json exclusions = Json::array();
  for (const text::Clause& each : query.clauses) clauses.push_back(clause(each));
  for (const text::QueryPhrase& each : query.phrases) phrases.push_back(phrase(each));
  for (const text::QueryPhrase& each : query.exclusions) exclusions.push_back(phrase(each));
  const Json scores = worth(query);
  const auto with = [&](Json wanted) -> Json {
    for (const Json& each : phrases) wanted.push_back(each);
    return {{"bool", {{"filter", std::move(wanted)}, {"must_not", exclusions}, {"should", scores}}}};
  };

  Expression expression;
  expression.clauses = clauses.size();
  expression.all_words = with(clauses);
  expression.any_word = with(clauses.empty() ? Json::array() : Json::array({any_of(clauses)}));
  return expression;
}

Json every_item() {
  return {{"constant_score", {{"filter", {{"term", {{"kind", kItem}}}}}}}};
}

}  // namespace kbase::opensearch
