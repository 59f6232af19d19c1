// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/search/facet_counts.hpp"

#include <string_view>
#include <utility>

#include "adapters/native_index/search/named_counts.hpp"

namespace kbase::native_index {
namespace {

/// Iterates over the values of one segment with a count above 0. Skips empty names.
class CountedNames {
 public:
  CountedNames(const NameTable& names, std::span<const std::uint32_t> counts) : names_(&names), counts_(counts) {}

  bool next() {
    while (next_ < counts_.size() && (counts_[next_] == 0 || names_->name(next_).empty())) ++next_;
    return next_++ < counts_.size();
  }
  std::string_view name() const { return names_->name(next_ - 1); }
  std::uint64_t items() const { return counts_[next_ - 1]; }

 private:
  const NameTable* names_;
  std::span<const std::uint32_t> counts_;
  std::uint32_t next_ = 0;
};

std::vector<ports::FacetValue> values_of(std::vector<CountedNames> sources) {
  std::vector<ports::FacetValue> values;
  for (NamedCount& each : most_frequent(std::move(sources), ports::kMaxFacetValues))
    values.push_back({std::move(each.name), each.items});
  return values;
}

}  // namespace

FacetCounts::FacetCounts(const Snapshot& snapshot, ports::WantedFacets wanted) : snapshot_(snapshot), wanted_(wanted) {
  clear();
}

void FacetCounts::clear() {
  if (!are_wanted()) return;
  segments_.resize(snapshot_.segments.size());
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    const Columns& columns = snapshot_.segments[i].segment->columns();
    if (wanted_.categories) segments_[i].categories.assign(columns.category_names().size(), 0);
    if (wanted_.tags) segments_[i].tags.assign(columns.tag_names().size(), 0);
  }
}

void FacetCounts::add(std::uint32_t segment, std::uint32_t window, std::span<const std::uint16_t> documents) {
  const Columns& columns = snapshot_.segments[segment].segment->columns();
  Counts& counts = segments_[segment];
  const std::uint32_t before = window * kWindowDocuments;
  if (wanted_.categories)
    for (const std::uint16_t document : documents) ++counts.categories[columns.categories()[before + document]];
  if (wanted_.tags)
    for (const std::uint16_t document : documents)
      for (const std::uint32_t tag : columns.tags(before + document)) ++counts.tags[tag];
}

ports::Facets FacetCounts::most_frequent() const {
  std::vector<CountedNames> categories;
  std::vector<CountedNames> tags;
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    const Columns& columns = snapshot_.segments[i].segment->columns();
    categories.emplace_back(columns.category_names(), segments_[i].categories);
    tags.emplace_back(columns.tag_names(), segments_[i].tags);
  }
  return {values_of(std::move(categories)), values_of(std::move(tags))};
}

}  // namespace kbase::native_index
