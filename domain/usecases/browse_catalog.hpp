// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ports/driven/activity_store.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/item_store.hpp"
#include "ports/driven/search_index.hpp"
#include "ports/driven/view_counter.hpp"
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
  Status category_items(ports::Call& call, std::string_view id, ports::Slice slice,
                        ports::SummaryVisitor visitor) override;

  Status recent(ports::Call& call, std::uint64_t limit, ports::SummaryVisitor visitor) override;
  Status popular(ports::Call& call, ports::Period period, std::uint64_t limit,
                 Visitor<ports::PopularItem> visitor) override;

 private:
  Dependencies deps_;
};

}  // namespace kbase::usecases
