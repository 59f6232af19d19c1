// SPDX-License-Identifier: Apache-2.0
#include "adapters/fts5/facet_counts.hpp"

#include <algorithm>

#include "adapters/fts5/token_stream.hpp"
#include "domain/model/function_ref.hpp"

namespace kbase::fts5 {
namespace {

void visit_tags(std::string_view joined, model::FunctionRef<void(std::string_view)> visitor) {
  while (!joined.empty()) {
    const std::size_t end = std::min(joined.find(kTagSeparator), joined.size());
    visitor(joined.substr(0, end));
    joined.remove_prefix(std::min(end + 1, joined.size()));
  }
}

}  // namespace

bool has_tag(std::string_view joined_tags, std::string_view tag) {
  bool is_there = false;
  visit_tags(joined_tags, [&](std::string_view each) { is_there = is_there || each == tag; });
  return is_there;
}

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
