// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "domain/base/result.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/item_store.hpp"
#include "ports/driving/validator.hpp"

namespace kbase::ports {

/// Limits of the lists (docs/guide/categories.md, popular-and-recent.md and related-items.md).
inline constexpr std::uint64_t kDefaultCategoriesLimit = 100;
inline constexpr std::uint64_t kDefaultCategoryItemsLimit = 50;
inline constexpr std::uint64_t kServedListLimit = 1000;  ///< larger limits of both lists are reduced to this
inline constexpr std::uint64_t kDefaultShortListLimit = 10;
inline constexpr std::uint64_t kMaxShortListLimit = 50;  ///< for /popular, /recent and related items; larger limits are
                                                         ///< rejected

enum class Period { Day, Week, Month, All };

/// An entry of /popular, with its views in the period.
struct PopularItem {
  const model::ItemSummaryView* item = nullptr;
  std::uint64_t period_views = 0;
};

/// Whether a list of a category has the items of the categories below it too.
enum class Subcategories : std::uint8_t { Excluded, Included };

/// An entry of the list of related items.
struct RelatedItem {
  const model::ItemSummaryView* item = nullptr;
  bool is_stored = false;  ///< listed by the item itself; false: found by similarity
};

/// Read access to items and categories. Any thread. `metadata.views` of every row is imported plus counted views.
class Catalog {
 public:
  virtual ~Catalog() = default;

  /// The state that a list returned now would be computed on, without and with counted views.
  virtual Result<Validator> content_validator(Call& call) = 0;
  virtual Result<Validator> views_validator(Call& call) = 0;
  /// The state for related(): the revisions of the content and of the index.
  virtual Result<Validator> related_validator(Call& call) = 0;

  /// The id of the store. Together with an item's revision, it is the item's validator.
  virtual model::StoreId store_id() const = 0;

  /// NotFound: there is no such item. Does not count a view, see count_view.
  virtual Status item(Call& call, std::string_view id, ItemVisitor visitor) = 0;

  /// Call it once for each response that showed the item to a user.
  virtual void count_view(std::string_view id) = 0;

  /// Visits the items that the item lists as related, in its order, then other items that share words with its title
  /// and tags, the most similar first. NotFound: there is no such item. InvalidArgument with `parameter` limit.
  /// Unavailable: the index has no complete state.
  virtual Status related(Call& call, std::string_view id, std::uint64_t limit, Visitor<RelatedItem> visitor) = 0;

  /// InvalidArgument with `parameter` limit or offset.
  virtual Status categories(Call& call, Slice slice, CategoryVisitor visitor) = 0;

  /// NotFound: there is no such category.
  virtual Status category(Call& call, std::string_view id, CategoryVisitor visitor) = 0;

  /// Visits the category's own items, or also those of the categories below it, in the order of `recent`. NotFound;
  /// InvalidArgument: see categories.
  virtual Status category_items(Call& call, std::string_view id, Subcategories subcategories, Slice slice,
                                SummaryVisitor visitor) = 0;

  /// Visits any number of items in the order of `recent`, for lists that are made rarely.
  virtual Status all_items(Call& call, Slice slice, SummaryVisitor visitor) = 0;

  /// InvalidArgument with `parameter` limit.
  virtual Status recent(Call& call, std::uint64_t limit, SummaryVisitor visitor) = 0;
  virtual Status popular(Call& call, Period period, std::uint64_t limit, Visitor<PopularItem> visitor) = 0;
};

}  // namespace kbase::ports
