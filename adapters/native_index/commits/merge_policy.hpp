// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kbase::native_index {

/// Input of the merge policy for one segment.
struct SegmentSize {
  std::uint32_t documents = 0;  ///< not deleted
  std::uint32_t deleted = 0;
};

inline constexpr std::size_t kMergeFactor = 4;
inline constexpr std::uint32_t kSmallestTier = 256;  ///< documents; smaller segments count as one size

/// Returns the indexes of the segments of one tier of sizes that has at least `factor` of them; empty if none has.
std::vector<std::size_t> choose_tier(std::span<const SegmentSize> segments, std::size_t factor);

/// Returns the indexes of the segments to merge now; empty if no merge is due.
///
/// Size-tiered (O'Neil et al. 1996; Lucene's TieredMergePolicy): segments of similar size are merged when there are
/// kMergeFactor of them, so that each document is copied once per tier and a search visits few segments per tier. All
/// are merged once a quarter of the documents is not in the largest, because a search is fastest with one large
/// segment; a document is then copied four times more at most. A segment of which more than a quarter is deleted is
/// rewritten.
///
/// `may_merge_all`: false if a merge of all failed, which needs the most space.
std::vector<std::size_t> choose_merge(std::span<const SegmentSize> segments, bool may_merge_all = true);

}  // namespace kbase::native_index
