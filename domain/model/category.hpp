// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "domain/model/item.hpp"

namespace kbase::model {

/// Non-owning view of a category (docs/guide/categories.md). For the lifetime of its views see Visitor.
struct CategoryView {
  std::string_view id;
  std::string_view name;
  std::string_view description;
  std::string_view icon;
  TextList subcategories;
  std::uint64_t item_count = 0;  ///< number of items in the category itself; stores ignore it on write
  Revision revision = 0;         ///< revision of the last change of the category record itself
};

/// An owning copy of a category, see Item.
class Category {
 public:
  explicit Category(const CategoryView& category);
  Category(const Category& other) : Category(other.view()) {}
  Category& operator=(const Category& other) { return *this = Category(other); }
  Category(Category&&) noexcept = default;
  Category& operator=(Category&&) noexcept = default;
  ~Category() = default;

  /// Valid for the lifetime of this object, or of the object it was moved to.
  const CategoryView& view() const noexcept { return view_; }

 private:
  std::vector<char> text_;
  std::vector<std::string_view> lists_;
  CategoryView view_;
};

/// Whether all members except `item_count` and `revision` are equal.
bool same_content(const CategoryView& a, const CategoryView& b);

}  // namespace kbase::model
