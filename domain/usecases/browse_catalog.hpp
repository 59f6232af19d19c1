// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/model/query.hpp"
#include "ports/driven/activity_store.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/item_store.hpp"
#include "ports/driven/search_index.hpp"
#include "ports/driven/server_state.hpp"
#include "ports/driving/catalog.hpp"

namespace kbase::usecases {

/// Reads items and categories. Checks limits, adds counted views to every row, and ranks /popular.
class BrowseCatalog final : public ports::Catalog {
 public:
  /// All must outlive the object.
  struct Dependencies {
    ports::ItemStore& items;
    ports::ActivityStore& activity;
    ports::SearchIndex& index;
    ports::ViewCounter& views;
    const ports::Clock& clock;
  };
  explicit BrowseCatalog(const Dependencies& deps) : deps_(deps) {}

  Result<ports::Validator> content_validator(ports::Call& call) override;
  Result<ports::Validator> views_validator(ports::Call& call) override;
  Result<ports::Validator> related_validator(ports::Call& call) override;
  model::StoreId store_id() const override { return deps_.items.store_id(); }

  Status item(ports::Call& call, std::string_view id, ports::ItemVisitor visitor) override;
  void count_view(std::string_view id) override { deps_.views.count(id); }

  Status related(ports::Call& call, std::string_view id, std::uint64_t limit,
                 Visitor<ports::RelatedItem> visitor) override;

  Status categories(ports::Call& call, ports::Slice slice, ports::CategoryVisitor visitor) override;
  Status category(ports::Call& call, std::string_view id, ports::CategoryVisitor visitor) override;
  Status category_items(ports::Call& call, std::string_view id, ports::Subcategories subcategories, ports::Slice slice,
                        ports::SummaryVisitor visitor) override;

  Status all_items(ports::Call& call, ports::Slice slice, ports::SummaryVisitor visitor) override;
  Status recent(ports::Call& call, std::uint64_t limit, ports::SummaryVisitor visitor) override;
  Status popular(ports::Call& call, ports::Period period, std::uint64_t limit,
                 Visitor<ports::PopularItem> visitor) override;

 private:
  Dependencies deps_;
};

/// Ranks items for /popular (docs/guide/popular-and-recent.md): by views in the period, then by all views, then by id.
/// Items without views in the period follow, so that a new store also shows its items. Serves one request.
class PopularItems {
 public:
  PopularItems(ports::ItemStore& items, ports::ActivityStore& activity, ports::SearchIndex& index,
               const ports::ViewCounter& views)
      : items_(items), activity_(activity), index_(index), views_(views) {}

  Status visit(ports::Call& call, ports::Period period, model::Day today, std::uint64_t limit,
               Visitor<ports::PopularItem> visitor);

 private:
  struct Candidate {
    std::string id;
    std::uint64_t period_views = 0;
    std::uint64_t views = 0;  // imported plus counted
    bool exists = false;
  };

  Status collect_viewed(ports::Call& call, model::Day first, model::Day last, std::uint64_t limit);
  Status collect_most_viewed_ever(ports::Call& call, std::uint64_t limit, bool as_period);
  Status look_up(ports::Call& call, std::span<Candidate> candidates);
  std::uint64_t existing() const;
  void rank(std::uint64_t limit);
  Status visit_items(ports::Call& call, Visitor<ports::PopularItem> visitor);

  ports::ItemStore& items_;
  ports::ActivityStore& activity_;
  ports::SearchIndex& index_;
  const ports::ViewCounter& views_;
  std::vector<Candidate> candidates_;
};

/// Finds the items related to an item, see Catalog::related. Views are the imported ones. Serves one request.
class RelatedItems {
 public:
  /// Both must outlive the object.
  RelatedItems(ports::ItemStore& items, ports::SearchIndex& index) : items_(items), index_(index) {}

  Status visit(ports::Call& call, std::string_view id, std::uint64_t limit, Visitor<ports::RelatedItem> visitor);

 private:
  Status read(ports::Call& call, std::string_view id);
  Status find_similar(ports::Call& call, std::uint64_t limit);
  Status visit_items(ports::Call& call, bool is_stored, std::uint64_t limit, Visitor<ports::RelatedItem> visitor);

  ports::ItemStore& items_;
  ports::SearchIndex& index_;
  model::QueryNode query_;            // query of the words of the item's title and tags
  std::vector<std::string> ids_;      // candidates to visit
  std::vector<std::string> visited_;  // id of the item itself and those already visited
  bool is_stopped_ = false;
};

}  // namespace kbase::usecases
