// SPDX-License-Identifier: Apache-2.0
#include "adapters/text/ranking.hpp"

namespace kbase::text {

std::vector<RankedWord> ranked_words(const Query& query) {
  std::vector<RankedWord> words;
  const auto add = [&words](const QueryPhrase& phrase, bool is_optional) {
    for (const QueryWord& word : phrase) {
      const auto known = std::find_if(words.begin(), words.end(), [&word](const RankedWord& each) {
        return each.word->prefix == word.prefix && each.word->terms == word.terms;
      });
      if (known == words.end()) {
        words.push_back({&word, word.times, is_optional});
        continue;
      }
      known->times += word.times;
      known->is_optional = known->is_optional && is_optional;
    }
  };
  for (const Clause& clause : query.clauses)
    for (const auto& alternative : clause.alternatives)
      for (const QueryPhrase& phrase : alternative) add(phrase, clause.is_optional);
  for (const QueryPhrase& phrase : query.phrases) add(phrase, false);
  return words;
}

}  // namespace kbase::text
