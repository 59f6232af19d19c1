// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "adapters/native_index/segments/word_parts_index.hpp"
#include "adapters/text/compounds.hpp"
#include "adapters/text/substitutes.hpp"
#include "domain/base/text.hpp"
#include "tests/adapters/native_index/reference/reference_index.hpp"
#include "tests/adapters/native_index/reference/spelling.hpp"

namespace kbase::tests {

using Kind = model::QueryNode::Kind;

void ReferenceIndex::adapt_substitutes(text::Query& query, const Corrections& corrections) const {
  const auto is_corrected = [&](const std::string& word) {
    return std::any_of(corrections.begin(), corrections.end(), [&](const ports::Correction& each) {
      return words_of({Kind::Word, each.word, {}}).front().terms.front() == word;
    });
  };
  text::adapt_substitutes(query, analyzer(), query_languages(), [&](std::span<const text::QueryWord> words) {
    if (words.size() > 1 && is_corrected(words[0].terms.front() + words[1].terms.front())) return false;
    const text::QueryPhrase phrase(words.begin(), words.end());
    return std::any_of(documents_.begin(), documents_.end(),
                       [&](const auto& each) { return has(each.second, phrase); });
  });
  const auto visit_words = [this](FunctionRef<void(const Word&)> visitor) {
    for (const auto& [id, document] : documents_)
      for (const Word& word : document.words) visitor(word);
  };
  const auto visit_containing = [&](std::string_view part, text::Vocabulary::Sink sink) {
    visit_words([&](const Word& word) {
      const bool is_long = word.exact.size() >= native_index::WordPartsIndex::kShortestWord && !has_digit(word.exact);
      if (is_long && !word.is_weak && word.exact.find(part) != std::string::npos) sink(word.exact);
    });
  };
  const auto has_word = [&](std::string_view asked) {
    bool is_found = false;
    visit_words([&](const Word& word) {
      const std::vector<std::string_view> names = word.names();
      is_found = is_found || word.exact == asked || std::find(names.begin(), names.end(), asked) != names.end();
    });
    return is_found;
  };
  text::add_compounds(query, analyzer(), query_languages(), {visit_containing, has_word});
}

void ReferenceIndex::correct(text::Query& query, const Corrections& corrections) const {
  for (const ports::Correction& each : corrections) {
    const std::string word = words_of({Kind::Word, each.word, {}}).front().terms.front();
    const text::QueryWord replacement = words_of({Kind::Word, each.replacement, {}}).front();
    for (text::Clause& clause : query.clauses) {
      if (clause.has_substitutes) continue;
      for (auto& alternative : clause.alternatives)
        for (text::QueryPhrase& part : alternative)
          if (part.size() == 1 && !part[0].prefix && !part[0].quoted && part[0].terms.front() == word &&
              !knows(part[0]))
            part[0] = replacement;
    }
  }
}

std::optional<std::string> ReferenceIndex::defect_of(const Corrections& corrections,
                                                     const ports::SearchRequest& request) const {
  std::set<std::string> wrong;
  if (request.query != nullptr) {
    text::Query query = analysed(*request.query);
    adapt_substitutes(query, corrections);
    for (const text::Clause& clause : query.clauses) {
      if (clause.has_substitutes) continue;
      for (const auto& alternative : clause.alternatives)
        for (const text::QueryPhrase& part : alternative)
          if (part.size() == 1 && !part[0].quoted && needs_correction(part[0])) wrong.insert(part[0].terms.front());
    }
  }
  for (const auto& [typed, written] : corrections) {
    const std::string word = words_of({Kind::Word, typed, {}}).front().terms.front();
    const std::string replacement = words_of({Kind::Word, written, {}}).front().terms.front();
    const bool is_wrong = wrong.erase(word) == 1;
    const unsigned mistakes = mistakes_between(word, replacement);
    if (!is_wrong && mistakes != nearest_mistakes(word, true)) return word + " is corrected twice, or must not be";
    if ((mistakes != nearest_mistakes(word) && mistakes != nearest_mistakes(word, true)) || !knows({{replacement}}))
      return word + " is corrected to " + replacement + ", which is not the nearest word";
  }
  return wrong.empty() ? std::nullopt : std::optional(*wrong.begin() + " is not corrected");
}

/// Collects the single words of a query, without those in phrases, prefixes and exclusions.
std::vector<text::QueryWord> ReferenceIndex::words_of(const model::QueryNode& node) const {
  std::vector<text::QueryWord> words;
  if (node.kind == Kind::Word)
    for (const text::Clause& clause : analysed({Kind::AllOf, {}, {node}}).clauses)
      words.push_back(clause.alternatives.front().front().front());
  if (node.kind == Kind::AllOf || node.kind == Kind::AnyOf)
    for (const model::QueryNode& child : node.children)
      for (text::QueryWord& word : words_of(child)) words.push_back(std::move(word));
  return words;
}

bool ReferenceIndex::needs_correction(const text::QueryWord& word) const {
  return !word.prefix && !knows(word) && nearest_mistakes(word.terms.front()).has_value();
}

bool ReferenceIndex::knows(const text::QueryWord& asked) const {
  return std::any_of(documents_.begin(), documents_.end(),
                     [&](const auto& each) { return has(each.second, text::QueryPhrase{asked}); });
}

/// Returns the distance of the nearest word without a digit, if it is within the tolerance. With `also_gone`, it also
/// considers words that only removed items had, as long as items have other forms of them: an index may or may not have
/// dropped those.
std::optional<unsigned> ReferenceIndex::nearest_mistakes(std::string_view word, bool also_gone) const {
  std::optional<unsigned> nearest;
  const std::size_t first = utf8::sequence_length(word);
  const auto look_at = [&](const std::string& text) {
    if (has_digit(text) || text.substr(0, first) != word.substr(0, first)) return;
    const unsigned mistakes = mistakes_between(word, text);
    if (mistakes <= tolerated_mistakes(word) && (!nearest || mistakes < *nearest)) nearest = mistakes;
  };
  for (const auto& [id, document] : documents_)
    for (const Word& each : document.words) {
      if (each.is_weak) continue;
      look_at(each.exact);
      for (const std::string_view name : each.names())
        if (also_gone && gone_.contains(std::string(name))) look_at(std::string(name));
    }
  return nearest;
}

}  // namespace kbase::tests
