// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "adapters/sqlite/connection.hpp"
#include "domain/model/category.hpp"
#include "domain/model/item.hpp"

namespace kbase::sqlite {

/// Reads rows of items that have the table's columns in its order, up to `further`. What it returns views the
/// statement's memory and its own, until the next read. Null: the row is damaged.
class SummaryRow {
 public:
  const model::ItemSummaryView* operator()(const Statement& row);

 private:
  model::ItemSummaryView view_;
  std::vector<std::string_view> tags_;
};

/// The same of all the table's columns.
class ItemRow {
 public:
  const model::ItemView* operator()(const Statement& row);

 private:
  model::ItemView view_;
  std::vector<std::string_view> tags_, related_;
};

/// Reads rows of categories, up to `items`, as above.
class CategoryRow {
 public:
  const model::CategoryView* operator()(const Statement& row);

 private:
  model::CategoryView view_;
  std::vector<std::string_view> subcategories_;
};

}  // namespace kbase::sqlite
