// SPDX-License-Identifier: Apache-2.0
#include "adapters/text/ranking.hpp"

namespace kbase::text {

std::vector<RankedWord> ranked_words(const Query& query) {
  std::vector<RankedWord> words;
  const auto find = [&words](const QueryWord& word) {
    return std::find_if(words.begin(), words.end(), [&word](const RankedWord& each) {
      return each.word->prefix == word.prefix && each.word->terms == word.terms;
    });
  };
  const auto add = [&](const QueryPhrase& phrase, bool is_optional, const QueryWord& replaced) {
    for (const QueryWord& word : phrase) {
      const auto known = find(word);
      if (known == words.end()) {
        const bool is_synonym = word.origin == WordOrigin::Synonym;
        const auto synonym_of =
            is_synonym ? static_cast<std::size_t>(find(replaced) - words.begin()) : RankedWord::kNone;
        words.push_back({&word, word.times, is_optional, synonym_of});
        continue;
      }
      known->is_optional = known->is_optional && is_optional;
      if (word.is_substitute()) continue;
      if (known->word->is_substitute())
        *known = {&word, word.times, known->is_optional};
      else
        known->times += word.times;
    }
  };
  for (const Clause& clause : query.clauses)
    for (const auto& alternative : clause.alternatives)
      for (const QueryPhrase& phrase : alternative)
        add(phrase, clause.is_optional, clause.alternatives.front().front().front());
  for (const QueryPhrase& phrase : query.phrases) add(phrase, false, phrase.front());
  return words;
}

}  // namespace kbase::text
