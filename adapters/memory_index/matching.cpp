// SPDX-License-Identifier: Apache-2.0
#include "adapters/memory_index/matching.hpp"

#include <algorithm>
#include <cmath>

namespace kbase::memory_index {
namespace {

constexpr double kK1 = 1.2;
constexpr double kB = 0.75;
constexpr double kExactWeight = 0.1;  // extra weight of a match of the exact form, in addition to the match of any form

/// A scored phrase with its statistics over all documents.
struct ScoredPhrase {
  text::QueryPhrase phrase;
  double weight = 1;
  std::vector<double> frequencies = {};  ///< one per document

  bool occurs(std::size_t document) const { return frequencies[document] > 0; }
};

class Matching {
 public:
  Matching(const Documents& documents, const text::Query& query) : query_(query) {
    for (const auto& [id, document] : documents) {
      documents_.push_back(document.get());
      total_length_ += document->length();
    }
    for (const text::Clause& clause : query.clauses) add(clause);
    for (const text::QueryPhrase& phrase : query.phrases) required_.push_back(add(phrase, 1));
  }

  Matches run(model::FallbackBelow fallback_below) const {
    const std::vector<std::size_t> all = matching(clauses_.size());
    if (clauses_.size() < 2 || all.size() >= fallback_below) return {scored(all), model::MatchRule::AllWords};
    const std::vector<std::size_t> any = matching(1);
    return {scored(any), any.size() == all.size() ? model::MatchRule::AllWords : model::MatchRule::AnyWord};
  }

 private:
  using Alternatives = std::vector<std::vector<std::size_t>>;  // indexes into phrases_

  void add(const text::Clause& clause) {
    Alternatives alternatives;
    for (const auto& alternative : clause.alternatives) {
      std::vector<std::size_t> parts;
      for (const text::QueryPhrase& phrase : alternative) {
        parts.push_back(add(phrase, 1));
        if (phrase.size() == 1 && !phrase.front().prefix) add({{{phrase.front().terms.front()}, false}}, kExactWeight);
      }
      alternatives.push_back(std::move(parts));
    }
    clauses_.push_back(std::move(alternatives));
  }

  std::size_t add(text::QueryPhrase phrase, double weight) {
    ScoredPhrase scored{std::move(phrase), weight};
    for (const Document* document : documents_) scored.frequencies.push_back(document->frequency(scored.phrase));
    phrases_.push_back(std::move(scored));
    return phrases_.size() - 1;
  }

  /// Returns the documents that match at least `wanted` clauses, all required phrases and no exclusion.
  std::vector<std::size_t> matching(std::size_t wanted) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < documents_.size(); ++i) {
      const auto held = static_cast<std::size_t>(std::count_if(
          clauses_.begin(), clauses_.end(), [&](const Alternatives& clause) { return holds(clause, i); }));
      if (held < wanted) continue;
      if (!std::all_of(required_.begin(), required_.end(), [&](std::size_t p) { return phrases_[p].occurs(i); }))
        continue;
      if (std::any_of(query_.exclusions.begin(), query_.exclusions.end(),
                      [&](const text::QueryPhrase& phrase) { return documents_[i]->frequency(phrase) > 0; }))
        continue;
      found.push_back(i);
    }
    return found;
  }

  bool holds(const Alternatives& clause, std::size_t document) const {
    return std::any_of(clause.begin(), clause.end(), [&](const std::vector<std::size_t>& parts) {
      return std::all_of(parts.begin(), parts.end(), [&](std::size_t p) { return phrases_[p].occurs(document); });
    });
  }

  std::vector<Match> scored(const std::vector<std::size_t>& numbers) const {
    std::vector<Match> matches;
    for (const std::size_t number : numbers) matches.push_back({documents_[number], 0});
    for (const ScoredPhrase& phrase : phrases_) {
      const auto with = static_cast<double>(std::count_if(phrase.frequencies.begin(), phrase.frequencies.end(),
                                                          [](double frequency) { return frequency > 0; }));
      const double documents = static_cast<double>(documents_.size());
      const double idf = std::log(1 + (documents - with + 0.5) / (with + 0.5));
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        const double length = matches[i].document->length() * documents / std::max(1.0, total_length_);
        const double frequency = phrase.frequencies[numbers[i]];
        matches[i].score += phrase.weight * idf * frequency * (kK1 + 1) / (frequency + kK1 * (1 - kB + kB * length));
      }
    }
    return matches;
  }

  const text::Query& query_;
  std::vector<const Document*> documents_;
  double total_length_ = 0;
  std::vector<ScoredPhrase> phrases_;
  std::vector<Alternatives> clauses_;
  std::vector<std::size_t> required_;
};

}  // namespace

Matches match(const Documents& documents, const text::Query& query, model::FallbackBelow fallback_below) {
  return Matching(documents, query).run(fallback_below);
}

}  // namespace kbase::memory_index
