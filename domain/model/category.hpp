// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "domain/model/item.hpp"

namespace kbase::model {

/// A category as ports hand it over (docs/guide/categories.md). All views are loans, see Visitor.
struct CategoryView {
  std::string_view id;
  std::string_view name;
  std::string_view description;
  std::string_view icon;
  TextList subcategories;
  std::uint64_t item_count = 0;  ///< the category's own items; ignored by a store that is given the category
  Revision revision = 0;         ///< the last change of the category's own record
};

/// A category that owns its texts, as Item does.
class Category {
 public:
  explicit Category(const CategoryView& category);
  Category(const Category& other) : Category(other.view()) {}
  Category& operator=(const Category& other) { return *this = Category(other); }
  Category(Category&&) noexcept = default;
  Category& operator=(Category&&) noexcept = default;
  ~Category() = default;

  /// Valid as long as the category, or the one it was moved to.
  const CategoryView& view() const noexcept { return view_; }

 private:
  std::vector<char> text_;
  std::vector<std::string_view> lists_;
  CategoryView view_;
};

/// Whether both have the same content: every member but the count and the revision.
bool same_content(const CategoryView& a, const CategoryView& b);

}  // namespace kbase::model
