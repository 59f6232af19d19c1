// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/search/facet_counts.hpp"

#include <string_view>
#include <utility>

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
  static bool is_wanted() { return true; }

 private:
  const NameTable* names_;
  std::span<const std::uint32_t> counts_;
  std::uint32_t next_ = 0;
};

std::vector<ports::FacetValue> merge_values(std::vector<CountedNames> sources) {
  std::vector<ports::FacetValue> values;
  for (NamedCount& each : merge_top_names(std::move(sources), ports::kMaxFacetValues))
    values.push_back({std::move(each.name), each.items});
  return values;
}

}  // namespace

FacetCounts::FacetCounts(const Snapshot& snapshot, ports::FacetSelection selection)
    : snapshot_(snapshot), selection_(selection) {
  clear();
}

void FacetCounts::clear() {
  if (!are_enabled()) return;
  segments_.resize(snapshot_.segments.size());
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    const Columns& columns = snapshot_.segments[i].segment->columns();
    if (selection_.categories) segments_[i].categories.assign(columns.category_names().size(), 0);
    if (selection_.tags) segments_[i].tags.assign(columns.tag_names().size(), 0);
  }
}

void FacetCounts::add(std::uint32_t segment, std::uint32_t window, std::span<const std::uint16_t> documents) {
  const Columns& columns = snapshot_.segments[segment].segment->columns();
  Counts& counts = segments_[segment];
  const std::uint32_t before = window * kWindowDocuments;
  if (selection_.categories)
    for (const std::uint16_t document : documents) ++counts.categories[columns.category(before + document)];
  if (selection_.tags)
    for (const std::uint16_t document : documents)
      columns.visit_tags(before + document, [&counts](auto tag) { ++counts.tags[tag]; });
}

ports::Facets FacetCounts::top_values() const {
  std::vector<CountedNames> categories;
  std::vector<CountedNames> tags;
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    const Columns& columns = snapshot_.segments[i].segment->columns();
    categories.emplace_back(columns.category_names(), segments_[i].categories);
    tags.emplace_back(columns.tag_names(), segments_[i].tags);
  }
  return {merge_values(std::move(categories)), merge_values(std::move(tags))};
}

}  // namespace kbase::native_index
