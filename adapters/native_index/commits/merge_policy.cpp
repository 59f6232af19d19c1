// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/commits/merge_policy.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace kbase::native_index {
namespace {

constexpr std::uint32_t kMaxDeletedFraction = 4;         // one in this many documents
constexpr std::uint32_t kMaxOutsideLargestFraction = 4;  // likewise

unsigned find_tier(std::uint32_t documents) {
  unsigned tier = 0;
  for (std::uint64_t size = kSmallestTier; size < documents; size *= kMergeFactor) ++tier;
  return tier;
}

/// Whether many documents are not in the largest segment. Tiers suffice for small segments.
bool should_merge_all(std::span<const SegmentSize> segments) {
  std::uint64_t documents = 0;
  std::uint64_t largest = 0;
  for (const SegmentSize& each : segments) {
    documents += each.documents;
    largest = std::max<std::uint64_t>(largest, each.documents);
  }
  const std::uint64_t outside = documents - largest;
  return outside >= kSmallestTier && outside * kMaxOutsideLargestFraction >= documents;
}

}  // namespace

std::vector<std::size_t> choose_tier(std::span<const SegmentSize> segments, std::size_t factor) {
  std::map<unsigned, std::vector<std::size_t>> tiers;
  for (std::size_t i = 0; i < segments.size(); ++i) tiers[find_tier(segments[i].documents)].push_back(i);
  for (auto& [tier, members] : tiers)
    if (members.size() >= factor) return std::move(members);
  return {};
}

std::vector<std::size_t> choose_merge(std::span<const SegmentSize> segments, bool may_merge_all) {
  if (may_merge_all && should_merge_all(segments)) {
    std::vector<std::size_t> all(segments.size());
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  if (auto tier = choose_tier(segments, kMergeFactor); !tier.empty()) return tier;
  for (std::size_t i = 0; i < segments.size(); ++i)
    if (segments[i].deleted * std::uint64_t{kMaxDeletedFraction} > segments[i].documents + segments[i].deleted)
      return {i};
  return {};
}

}  // namespace kbase::native_index
