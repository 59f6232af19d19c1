// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/commits/merge_policy.hpp"

#include <algorithm>
#include <map>

namespace kbase::native_index {
namespace {

constexpr std::uint32_t kMaxDeletedShare = 4;  // one in this many documents

unsigned tier_of(std::uint32_t documents) {
  unsigned tier = 0;
  for (std::uint64_t size = kSmallestTier; size < documents; size *= kMergeFactor) ++tier;
  return tier;
}

}  // namespace

std::vector<std::size_t> choose_merge(std::span<const SegmentSize> segments) {
  std::vector<std::size_t> strangers;
  for (std::size_t i = 0; i < segments.size(); ++i)
    if (!segments[i].is_of_pivot) strangers.push_back(i);
  if (!strangers.empty()) return strangers;

  std::map<unsigned, std::vector<std::size_t>> tiers;
  for (std::size_t i = 0; i < segments.size(); ++i) tiers[tier_of(segments[i].documents)].push_back(i);
  for (auto& [tier, members] : tiers)
    if (members.size() >= kMergeFactor) return std::move(members);

  for (std::size_t i = 0; i < segments.size(); ++i)
    if (segments[i].deleted * std::uint64_t{kMaxDeletedShare} > segments[i].documents + segments[i].deleted) return {i};
  return {};
}

}  // namespace kbase::native_index
