// SPDX-License-Identifier: Apache-2.0
#include "tests/support/memory_index/matching.hpp"

#include <algorithm>
#include <cmath>

#include "adapters/text/ranking.hpp"
#include "adapters/text/substitutes.hpp"
#include "adapters/text/titles.hpp"

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

  Matches run(model::FallbackBelow least_matches) const {
    const std::vector<std::size_t> all = find_matching(model::MatchRule::AllWords);
    if (clauses_.size() < 2 || all.size() >= least_matches) return {score_matches(all), model::MatchRule::AllWords};
    const std::vector<std::size_t> any = find_matching(model::MatchRule::AnyWord);
    return {score_matches(any), any.size() == all.size() ? model::MatchRule::AllWords : model::MatchRule::AnyWord};
  }

 private:
  using Alternatives = std::vector<std::vector<std::size_t>>;  // indexes into phrases_

  void add(const text::Clause& clause) {
    Alternatives alternatives;
    for (const auto& alternative : clause.alternatives) {
      std::vector<std::size_t> parts;
      for (const text::QueryPhrase& phrase : alternative) {
        const double weight = text::RankedWord{&phrase.front(), 1, clause.is_optional}.share();
        parts.push_back(add(phrase, weight));
        if (phrase.size() == 1 && !phrase.front().prefix)
          add({{{phrase.front().terms.front()}, false}}, weight * kExactWeight);
      }
      alternatives.push_back(std::move(parts));
    }
    clauses_.push_back(std::move(alternatives));
  }

  std::size_t add(text::QueryPhrase phrase, double weight) {
    ScoredPhrase entry{std::move(phrase), weight};
    for (const Document* document : documents_) entry.frequencies.push_back(document->frequency(entry.phrase));
    phrases_.push_back(std::move(entry));
    return phrases_.size() - 1;
  }

  /// Returns the documents that match the clauses by `rule`, all required phrases and no exclusion.
  std::vector<std::size_t> find_matching(model::MatchRule rule) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < documents_.size(); ++i) {
      if (!matches_clauses(i, rule)) continue;
      if (!std::all_of(required_.begin(), required_.end(), [&](std::size_t p) { return phrases_[p].occurs(i); }))
        continue;
      if (std::any_of(query_.exclusions.begin(), query_.exclusions.end(),
                      [&](const text::QueryPhrase& phrase) { return documents_[i]->frequency(phrase) > 0; }))
        continue;
      found.push_back(i);
    }
    return found;
  }

  bool matches_clauses(std::size_t document, model::MatchRule rule) const {
    bool all = true, any = clauses_.empty();
    for (std::size_t i = 0; i < clauses_.size(); ++i) {
      const bool matches = matches_clause(clauses_[i], document);
      any = any || matches;
      all = all && (matches || query_.clauses[i].is_optional);
    }
    return rule == model::MatchRule::AllWords ? all : any;
  }

  bool matches_clause(const Alternatives& clause, std::size_t document) const {
    return std::any_of(clause.begin(), clause.end(), [&](const std::vector<std::size_t>& parts) {
      return std::all_of(parts.begin(), parts.end(), [&](std::size_t p) { return phrases_[p].occurs(document); });
    });
  }

  std::vector<Match> score_matches(const std::vector<std::size_t>& numbers) const {
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

Document::Document(const model::ItemView& item, text::Analyzer& analyzer)
    : item_(item), language_(text::detect_language(item.title, item.content)) {
  const text::ItemLanguages title = text::item_languages(language_);
  constexpr double kContent = 1, kTag = 1.5, kTitle = 2.5;
  model::visit_section_texts(item.content, item.sections,
                             [&](std::string_view text) { add_text(analyzer, text, {language_}, kContent); });
  add_text(analyzer, item.title, title, kTitle);
  titles_.push_back(text::fold_title(analyzer, item.title));
  for (const std::string_view alias : item.aliases) {
    add_text(analyzer, alias, title, kTitle);
    titles_.push_back(text::fold_title(analyzer, alias));
  }
  for (const std::string_view tag : item.tags) add_text(analyzer, tag, {language_}, kTag);
}

void Document::add_text(text::Analyzer& analyzer, std::string_view text, text::ItemLanguages languages, double weight) {
  const auto number = static_cast<std::uint32_t>(weights_.size());
  weights_.push_back(weight);
  analyzer.analyze_title(text, languages, [&](const text::Token& token) {
    const Position position{number, token.position};
    positions_[std::string(token.exact)].push_back(position);
    for (const std::string_view stem : token.stems())
      if (!stem.empty()) positions_[text::kStemMark + std::string(stem)].push_back(position);
    if (token.is_word()) length_ += weight;
  });
}

void Document::visit_words_with(std::string_view part, text::Vocabulary::Sink sink) const {
  for (const auto& [name, positions] : positions_)
    if (name.front() != text::kStemMark && name.find(part) != std::string::npos) sink(name);
}

bool Document::has_word(std::string_view word) const {
  return positions_.contains(std::string(word)) || positions_.contains(text::kStemMark + std::string(word));
}

bool Document::has_title(std::string_view words) const {
  return !words.empty() && std::find(titles_.begin(), titles_.end(), words) != titles_.end();
}

std::vector<Document::Position> Document::find_positions(const text::QueryWord& word) const {
  std::vector<Position> positions;
  for (const std::string& term : word.terms)
    for (auto found = positions_.lower_bound(term); found != positions_.end(); ++found) {
      if (word.prefix ? !found->first.starts_with(term) : found->first != term) break;
      positions.insert(positions.end(), found->second.begin(), found->second.end());
    }
  std::sort(positions.begin(), positions.end());
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  return positions;
}

void Document::visit_words(std::string_view beginning, FunctionRef<void(std::string_view)> visitor) const {
  for (auto word = positions_.lower_bound(beginning); word != positions_.end() && word->first.starts_with(beginning);
       ++word)
    visitor(word->first);
}

double Document::frequency(const text::QueryPhrase& phrase) const {
  std::vector<Position> ends = find_positions(phrase.front());
  for (std::size_t i = 1; i < phrase.size() && !ends.empty(); ++i) {
    const std::vector<Position> next = find_positions(phrase[i]);
    std::vector<Position> reached;
    for (const Position& position : ends) {
      const Position next_position{position.text, position.position + 1};
      if (std::binary_search(next.begin(), next.end(), next_position)) reached.push_back(next_position);
    }
    ends = std::move(reached);
  }
  double frequency = 0;
  for (const Position& position : ends) frequency += weights_[position.text];
  return frequency;
}

void adapt_substitutes(text::Query& query, text::Analyzer& analyzer, std::span<const text::Language> languages,
                       const Documents& documents) {
  text::adapt_substitutes(query, analyzer, languages, [&](std::span<const text::QueryWord> words) {
    const text::QueryPhrase phrase(words.begin(), words.end());
    return std::any_of(documents.begin(), documents.end(),
                       [&](const auto& each) { return each.second->frequency(phrase) > 0; });
  });
  const auto visit_containing = [&](std::string_view part, text::Vocabulary::Sink sink) {
    for (const auto& [id, document] : documents) document->visit_words_with(part, sink);
  };
  const auto has = [&](std::string_view word) {
    return std::any_of(documents.begin(), documents.end(),
                       [word](const auto& each) { return each.second->has_word(word); });
  };
  text::add_compounds(query, analyzer, languages, {visit_containing, has});
}

Matches match(const Documents& documents, const text::Query& query, model::FallbackBelow least_matches) {
  return Matching(documents, query).run(least_matches);
}

}  // namespace kbase::memory_index
