// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kbase::native_index {

/// What the choice of a merge looks at.
struct SegmentSize {
  std::uint32_t documents = 0;  ///< that are not deleted
  std::uint32_t deleted = 0;
  bool is_of_pivot = true;  ///< its impacts are of the pivot that the index shall have
};

/// The segments, by their places, that should become one now; empty: none.
///
/// Tiers of sizes (O'Neil et al. 1996, as in Lucene's TieredMergePolicy): segments of about one size are merged when
/// there are kMergeFactor of them, so that a document is copied once a tier and a search meets few segments in each.
/// A segment that is a quarter deleted is written anew, and those of another pivot are at once.
std::vector<std::size_t> choose_merge(std::span<const SegmentSize> segments);

inline constexpr std::size_t kMergeFactor = 4;
inline constexpr std::uint32_t kSmallestTier = 256;  ///< documents; what is smaller counts as one size

}  // namespace kbase::native_index
