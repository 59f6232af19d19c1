// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ports/driven/activity_store.hpp"
#include "ports/driven/item_store.hpp"
#include "ports/driven/search_index.hpp"
#include "ports/driven/view_counter.hpp"
#include "ports/driving/catalog.hpp"

namespace kbase::usecases {

/// Ranks items for /popular (docs/guide/popular-and-recent.md): by views in the period, then by all views, then by id.
/// Items without views in the period follow, so that a new store also shows its items. Serves one request.
class PopularItems {
 public:
  PopularItems(ports::ItemStore& items, ports::ActivityStore& activity, ports::SearchIndex& index,
               const ports::ViewCounter& views)
      : items_(items), activity_(activity), index_(index), views_(views) {}

  model::Status visit(ports::Call& call, ports::Period period, model::Day today, std::uint64_t limit,
                      model::Visitor<ports::PopularItem> visitor);

 private:
  struct Candidate {
    std::string id;
    std::uint64_t period_views = 0;
    std::uint64_t views = 0;  // imported plus counted
    bool exists = false;
  };

  model::Status collect_viewed(ports::Call& call, model::Day first, model::Day last, std::uint64_t limit);
  model::Status collect_most_viewed_ever(ports::Call& call, std::uint64_t limit, bool as_period);
  model::Status look_up(ports::Call& call, std::span<Candidate> candidates);
  std::uint64_t existing() const;
  void rank(std::uint64_t limit);
  model::Status hand_out(ports::Call& call, model::Visitor<ports::PopularItem> visitor);

  ports::ItemStore& items_;
  ports::ActivityStore& activity_;
  ports::SearchIndex& index_;
  const ports::ViewCounter& views_;
  std::vector<Candidate> candidates_;
};

}  // namespace kbase::usecases
