// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ports/driven/search_index.hpp"

namespace kbase::fts5 {

/// How many of a search's matches have each value of a facet. One thread.
class FacetCounts {
 public:
  void clear();

  /// Of one match; `tags` as packed_tags() gives them.
  void add(ports::WantedFacets wanted, std::string_view category, std::string_view tags);

  ports::Facets most_frequent() const;

 private:
  using Counts = std::map<std::string, std::uint64_t, std::less<>>;

  static void add(Counts& counts, std::string_view value);
  static std::vector<ports::FacetValue> most_frequent(const Counts& counts);

  Counts categories_;
  Counts tags_;
  std::vector<std::string_view> seen_;  // tags of one match
};

}  // namespace kbase::fts5
