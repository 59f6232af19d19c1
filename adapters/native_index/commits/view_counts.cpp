// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/commits/view_counts.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace kbase::native_index {
namespace {

constexpr std::size_t kTierShares[] = {256, 64, 16, 4};

/// Minimum sample size for the tier bounds, in segments that have as many documents.
constexpr std::size_t kSample = 8'192;

/// Returns the views of every nth document, in descending order.
std::vector<std::uint64_t> sample_of(const std::vector<std::uint64_t>& views) {
  const std::size_t step = std::max<std::size_t>(1, views.size() / kSample);
  std::vector<std::uint64_t> sample;
  for (std::size_t document = 0; document < views.size(); document += step) sample.push_back(views[document]);
  std::sort(sample.begin(), sample.end(), std::greater<>());
  return sample;
}

}  // namespace

ViewCounts::ViewCounts(std::vector<std::uint64_t> views) : views_(std::move(views)) {
  const std::vector<std::uint64_t> sample = sample_of(views_);
  for (const std::size_t share : kTierShares) {
    const std::uint64_t least = sample.size() < share ? 0 : sample[sample.size() / share - 1];
    const bool is_known = !tiers_.empty() && tiers_.back().least == least;
    if (least == 0 || is_known) continue;  // tier would contain all documents, or equal the one before
    tiers_.push_back({least, DocumentSet(static_cast<std::uint32_t>(views_.size()))});
  }
  if (tiers_.empty()) return;
  for (std::uint32_t document = 0; document < views_.size(); ++document)
    for (auto tier = tiers_.rbegin(); tier != tiers_.rend() && views_[document] >= tier->least; ++tier)
      tier->documents.insert(document);
}

}  // namespace kbase::native_index
