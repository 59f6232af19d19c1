// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kbase::vectors {

/// Number of matches that fuse() reorders. Those behind them keep their order by words.
inline constexpr std::size_t kFusedMatches = 100;

/// The vector of a query.
struct QueryVector {
  std::vector<float> values;  ///< of length 1
  double coverage = 1;        ///< share of the query's words that the vector stands for, 0 to 1
};

/// One of the best matches by words.
struct WordMatch {
  double relevance = 0;  ///< score by words, divided by the best one
  /// The vectors of the item's sections, one behind the other, each in the dimension of the query and of any length
  /// above 0. Empty: the item has none yet.
  std::span<const std::int8_t> vectors{};
};

struct FusedOrder {
  std::vector<std::size_t> order;  ///< indexes of the matches, best first
  /// The vector of the query, moved towards the best matches: what items that no word matches are compared with. Of
  /// length 1.
  std::vector<float> query;
};

/// Orders the best matches by words and meaning together. `matches` are in their order by words.
///
/// The score of a match is the relevance by words, plus the similarity of meaning scaled to 0 to 1 over the matches, by
/// a weight (convex combination; Bruch, Gai, Ingber, "An analysis of fusion functions for hybrid retrieval", arXiv
/// 2210.11934). Two rules set the weight of the meaning:
/// - The closer the second to the tenth score by words are to the best one, the less the words decide, and the more the
///   meaning counts.
/// - The fewer of the query's words its vector stands for, the less the meaning counts. A query for a rare identifier
/// is
///   therefore ordered by words.
/// Before, the vector of the query moves towards the best matches of a first combination with a small weight (Rocchio's
/// feedback, 1971), since a short query says less about its subject than the items that answer it.
///
/// Equal arguments yield equal results; ties keep the order by words.
FusedOrder fuse(std::span<const WordMatch> matches, const QueryVector& query);

}  // namespace kbase::vectors
