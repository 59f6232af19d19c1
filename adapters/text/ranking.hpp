// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "adapters/text/query.hpp"

namespace kbase::text {

// Parameters of BM25F that the indices share. They were tuned on judged queries; see docs/decisions/0020-what-ranks.md.

/// Weight of a word of a title of mean length. A word of the content has the weight 1.
inline constexpr std::uint32_t kTitleWeight = 6;

/// Returns the weight of each word of a title with `words` words: the shorter the title, the higher. The mean length is
/// that of the judged collections, so that the weight does not depend on other items.
inline float title_weight(float words) {
  constexpr float kMeanWords = 8;
  constexpr float kLengthShare = 0.7F;
  return std::max(1.0F, kTitleWeight / (1 - kLengthShare + kLengthShare * words / kMeanWords));
}

/// A distinct word of a query, which scores once.
struct RankedWord {
  static constexpr std::size_t kNone = SIZE_MAX;

  const QueryWord* word;
  std::uint32_t times;             ///< number of occurrences in the query
  bool is_optional;                ///< all occurrences are in optional clauses
  std::size_t synonym_of = kNone;  ///< index in ranked_words() of the word that this one is a synonym of; it is less
                                   ///< than the own index

  /// Whether an item that answers the query well has the word.
  bool is_essential() const { return !is_optional && !word->is_substitute() && !word->prefix; }

  /// Share of the weight that the word has by its rarity: less for function words and for substitutes. Other spellings
  /// are rare where they matter least, as `boundarylayer` is next to `boundary layer`, and an item with a synonym ranks
  /// below one with the word.
  double share() const { return optional_share() * origin_share(); }

  /// Returns the weight of the word. `rarity`: its weight by its rarity. `before`: the same of the words before it; 0
  /// if no item has the word. A synonym is at most as rare as its word, so that a rare synonym of a frequent word ranks
  /// below the word. It has the whole weight if no item has the word.
  double weight(double rarity, std::span<const double> before) const {
    if (synonym_of == kNone) return rarity * share();
    const double replaced = before[synonym_of];
    return replaced > 0 ? std::min(rarity, replaced) * share() : rarity * optional_share();
  }

  /// Factor for a word that the query repeats: BM25's saturation of query terms, k3.
  double repetition() const {
    constexpr double kSaturation = 8;
    return times * (kSaturation + 1) / (times + kSaturation);
  }

 private:
  double optional_share() const { return is_optional ? 0.4 : 1.0; }

  double origin_share() const {
    switch (word->origin) {
      case WordOrigin::Typed: return 1;
      case WordOrigin::Spelling: return 0.1;
      case WordOrigin::Synonym: return 0.2;
    }
    return 1;
  }
};

/// Returns the distinct words of the clauses and phrases, in query order, quoted or not. Views of `query`.
std::vector<RankedWord> ranked_words(const Query& query);

}  // namespace kbase::text
