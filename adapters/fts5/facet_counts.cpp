// SPDX-License-Identifier: Apache-2.0
#include "adapters/fts5/facet_counts.hpp"

#include <algorithm>

#include "adapters/fts5/tag_list.hpp"

namespace kbase::fts5 {

void FacetCounts::clear() {
  categories_.clear();
  tags_.clear();
}

void FacetCounts::add(ports::WantedFacets wanted, std::string_view category, std::string_view tags) {
  if (wanted.categories) add(categories_, category);
  if (!wanted.tags) return;
  seen_.clear();
  visit_tags(tags, [this](std::string_view tag) {
    if (std::find(seen_.begin(), seen_.end(), tag) != seen_.end()) return;
    seen_.push_back(tag);
    add(tags_, tag);
  });
}

void FacetCounts::add(Counts& counts, std::string_view value) {
  const auto known = counts.find(value);
  if (known != counts.end())
    ++known->second;
  else
    counts.emplace(value, 1);
}

ports::Facets FacetCounts::most_frequent() const {
  return {most_frequent(categories_), most_frequent(tags_)};
}

std::vector<ports::FacetValue> FacetCounts::most_frequent(const Counts& counts) {
  std::vector<ports::FacetValue> values;
  for (const auto& [value, items] : counts) values.push_back({value, items});
  std::stable_sort(values.begin(), values.end(), [](const auto& a, const auto& b) { return a.items > b.items; });
  values.resize(std::min(values.size(), ports::kMaxFacetValues));
  return values;
}

}  // namespace kbase::fts5
