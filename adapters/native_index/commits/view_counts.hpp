// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "adapters/native_index/commits/document_set.hpp"

namespace kbase::native_index {

/// View counts of a segment's documents (imported plus counted), with sets of the most viewed documents, so that a
/// search sorted by views does not visit all matches. Immutable. Thread-safe.
class ViewCounts {
 public:
  /// All documents with at least `least` views: about one in 4, 16, 64 or 256 of the segment.
  struct Tier {
    std::uint64_t least = 0;
    DocumentSet documents;
  };

  /// `views` is indexed by document.
  explicit ViewCounts(std::vector<std::uint64_t> views);

  std::uint64_t of(std::uint32_t document) const { return views_[document]; }
  const std::vector<std::uint64_t>& all() const { return views_; }

  /// The most viewed tier first. If many documents have equal counts, a tier may be missing or larger.
  std::span<const Tier> tiers() const { return tiers_; }

 private:
  std::vector<std::uint64_t> views_;
  std::vector<Tier> tiers_;
};

/// Returns the sum, saturated at the maximum.
constexpr std::uint64_t added_views(std::uint64_t imported, std::uint64_t counted) {
  return imported > ~counted ? ~std::uint64_t{0} : imported + counted;
}

}  // namespace kbase::native_index
