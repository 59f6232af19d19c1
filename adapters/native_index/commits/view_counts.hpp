// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "adapters/native_index/commits/document_set.hpp"

namespace kbase::native_index {

/// The views of a segment's documents, imported and counted ones together, and which documents have many: so that who
/// wants the most viewed of some need not look at them all. Never changes. Any thread.
class ViewCounts {
 public:
  /// All documents that have so many views or more: about one in four, 16, 64 and 256 of the segment's.
  struct Tier {
    std::uint64_t least = 0;
    DocumentSet documents;
  };

  /// Of each document.
  explicit ViewCounts(std::vector<std::uint64_t> views);

  std::uint64_t of(std::uint32_t document) const { return views_[document]; }
  const std::vector<std::uint64_t>& all() const { return views_; }

  /// The most viewed first. Where many documents have as many views, a tier may be missing or have more of them.
  std::span<const Tier> tiers() const { return tiers_; }

 private:
  std::vector<std::uint64_t> views_;
  std::vector<Tier> tiers_;
};

/// Both, as far as there are numbers.
constexpr std::uint64_t added_views(std::uint64_t imported, std::uint64_t counted) {
  return imported > ~counted ? ~std::uint64_t{0} : imported + counted;
}

}  // namespace kbase::native_index
