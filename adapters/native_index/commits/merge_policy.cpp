// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/commits/merge_policy.hpp"

#include <map>
#include <utility>

namespace kbase::native_index {
namespace {

constexpr std::uint32_t kMaxDeletedFraction = 4;  // one in this many documents

unsigned find_tier(std::uint32_t documents) {
  unsigned tier = 0;
  for (std::uint64_t size = kSmallestTier; size < documents; size *= kMergeFactor) ++tier;
  return tier;
}

}  // namespace

std::vector<std::size_t> choose_tier(std::span<const SegmentSize> segments, std::size_t factor) {
  std::map<unsigned, std::vector<std::size_t>> tiers;
  for (std::size_t i = 0; i < segments.size(); ++i) tiers[find_tier(segments[i].documents)].push_back(i);
  for (auto& [tier, members] : tiers)
    if (members.size() >= factor) return std::move(members);
  return {};
}

std::vector<std::size_t> choose_merge(std::span<const SegmentSize> segments) {
  if (auto tier = choose_tier(segments, kMergeFactor); !tier.empty()) return tier;
  for (std::size_t i = 0; i < segments.size(); ++i)
    if (segments[i].deleted * std::uint64_t{kMaxDeletedFraction} > segments[i].documents + segments[i].deleted)
      return {i};
  return {};
}

}  // namespace kbase::native_index
