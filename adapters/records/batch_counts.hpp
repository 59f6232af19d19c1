// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

#include "domain/base/text.hpp"
#include "domain/model/day.hpp"

namespace kbase::records {

/// Changes of one batch to the counts of the store, its categories and its days, modulo 2^64: negative changes wrap
/// around. A writer sums them up in memory and writes them once, at commit.
struct BatchCounts {
  struct Counters {
    std::uint64_t items = 0;
    std::uint64_t views = 0;
  };
  struct Category : Counters {
    bool exists = false;
  };

  void add_items(Category& category, model::Day created, std::uint64_t items, std::uint64_t views) {
    category.items += items;
    category.views += views;
    store.items += items;
    store.views += views;
    additions[created] += items;
  }

  Counters store;
  std::uint64_t categories = 0;
  TextMap<Category> by_category;
  std::map<model::Day, std::uint64_t> additions;  ///< items by the day of their creation
};

inline constexpr std::uint64_t kMinusOne = ~std::uint64_t{0};  ///< as a change of a count

}  // namespace kbase::records
