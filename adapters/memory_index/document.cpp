// SPDX-License-Identifier: Apache-2.0
#include "adapters/memory_index/document.hpp"

#include <algorithm>

namespace kbase::memory_index {

Document::Document(const model::ItemView& item, text::Analyzer& analyzer)
    : item_(item), language_(text::detect_language(item.title, item.content)) {
  add_field(analyzer, item.content);
  add_field(analyzer, item.title);
  for (const std::string_view tag : item.tags) add_field(analyzer, tag);
}

void Document::add_field(text::Analyzer& analyzer, std::string_view text) {
  const std::uint32_t field = fields_++;
  analyzer.analyze(text, language_, [&](const text::Token& token) {
    const Place place{field, token.position};
    places_[std::string(token.exact)].push_back(place);
    for (const std::string_view stem : token.stems())
      if (!stem.empty()) places_[text::kStemMark + std::string(stem)].push_back(place);
    if (token.role != text::Token::Role::Part) length_ += weight_of(field);
  });
}

double Document::weight_of(std::uint32_t field) {
  return field == 0 ? 1 : field == 1 ? 2.5 : 1.5;
}

std::vector<Document::Place> Document::places_of(const text::QueryWord& word) const {
  std::vector<Place> places;
  for (const std::string& term : word.terms)
    for (auto found = places_.lower_bound(term); found != places_.end(); ++found) {
      if (word.prefix ? !found->first.starts_with(term) : found->first != term) break;
      places.insert(places.end(), found->second.begin(), found->second.end());
    }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

void Document::visit_words(std::string_view beginning, model::FunctionRef<void(std::string_view)> visitor) const {
  for (auto word = places_.lower_bound(beginning); word != places_.end() && word->first.starts_with(beginning); ++word)
    visitor(word->first);
}

double Document::frequency(const text::QueryPhrase& phrase) const {
  std::vector<Place> ends = places_of(phrase.front());
  for (std::size_t i = 1; i < phrase.size() && !ends.empty(); ++i) {
    const std::vector<Place> next = places_of(phrase[i]);
    std::vector<Place> reached;
    for (const Place& place : ends) {
      const Place beside{place.field, place.position + 1};
      if (std::binary_search(next.begin(), next.end(), beside)) reached.push_back(beside);
    }
    ends = std::move(reached);
  }
  double frequency = 0;
  for (const Place& place : ends) frequency += weight_of(place.field);
  return frequency;
}

}  // namespace kbase::memory_index
