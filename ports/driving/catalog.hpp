// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "domain/model/result.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/item_store.hpp"
#include "ports/driving/validator.hpp"

namespace kbase::ports {

/// The bounds of the lists (docs/guide/categories.md, popular-and-recent.md and related-items.md).
inline constexpr std::uint64_t kDefaultCategoriesLimit = 100;
inline constexpr std::uint64_t kDefaultCategoryItemsLimit = 50;
inline constexpr std::uint64_t kServedListLimit = 1000;  ///< a larger limit of either, however large, is served as this
inline constexpr std::uint64_t kDefaultShortListLimit = 10;
inline constexpr std::uint64_t kMaxShortListLimit = 50;  ///< of /popular, /recent and related items; more is refused

enum class Period { Day, Week, Month, All };

/// An item of /popular with its views in the period.
struct PopularItem {
  const model::ItemSummaryView* item = nullptr;
  std::uint64_t period_views = 0;
};

/// An item beside another one.
struct RelatedItem {
  const model::ItemSummaryView* item = nullptr;
  bool is_stored = false;  ///< named by the item itself; else found by what both are about
};

/// Items and categories to read. Any thread. `metadata.views` of every row is imported plus counted.
class Catalog {
 public:
  virtual ~Catalog() = default;

  /// What a list given now would be computed on, without and with counted views.
  virtual model::Result<Validator> content_validator(Call& call) = 0;
  virtual model::Result<Validator> views_validator(Call& call) = 0;
  /// The same of related(): of the content, and of what the index has of it.
  virtual model::Result<Validator> related_validator(Call& call) = 0;

  /// The store's lineage: with an item's own revision, the item's validator.
  virtual model::StoreId store_id() const = 0;

  /// NotFound. Counts no view: see count_view.
  virtual model::Status item(Call& call, std::string_view id, ItemVisitor visitor) = 0;

  /// To be called once for each answer that showed the item to somebody.
  virtual void count_view(std::string_view id) = 0;

  /// Items of the ids that the item names, in its order, then others that share words with its title and tags, the
  /// nearest first. NotFound; InvalidArgument with `parameter` limit; Unavailable while the index has no complete
  /// state.
  virtual model::Status related(Call& call, std::string_view id, std::uint64_t limit,
                                model::Visitor<RelatedItem> visitor) = 0;

  /// InvalidArgument with `parameter` limit or offset.
  virtual model::Status categories(Call& call, Slice slice, CategoryVisitor visitor) = 0;

  /// NotFound.
  virtual model::Status category(Call& call, std::string_view id, CategoryVisitor visitor) = 0;

  /// The category's own items, in the order of `recent`. NotFound; InvalidArgument as categories.
  virtual model::Status category_items(Call& call, std::string_view id, Slice slice, SummaryVisitor visitor) = 0;

  /// InvalidArgument with `parameter` limit.
  virtual model::Status recent(Call& call, std::uint64_t limit, SummaryVisitor visitor) = 0;
  virtual model::Status popular(Call& call, Period period, std::uint64_t limit,
                                model::Visitor<PopularItem> visitor) = 0;
};

}  // namespace kbase::ports
