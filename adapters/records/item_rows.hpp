// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "domain/model/category.hpp"
#include "domain/model/item.hpp"

/// What rows of SQL tables say, for every database whose tables have these columns in this order. A `Row` gives its
/// columns, counted from 0: text(), number(), day(), and list(), which is false where the bytes are no list.
namespace kbase::records {

/// Reads rows of items, up to `extra`. What it returns views the row's memory and its own, until the next read. Null:
/// the row is damaged.
template <class Row>
class SummaryRow {
 public:
  const model::ItemSummaryView* operator()(const Row& row) { return read(row, view_) ? &view_ : nullptr; }

  /// The same into a part of something larger.
  bool read(const Row& row, model::ItemSummaryView& view) {
    view.id = row.text(1);
    view.category = row.text(2);
    view.metadata.created = row.day(3);
    view.metadata.updated = row.day(4);
    view.metadata.views = row.number(5);
    view.title = row.text(6);
    view.excerpt = row.text(7);
    if (!row.list(8, tags_)) return false;
    view.tags = tags_;
    view.metadata.author = row.text(9);
    view.metadata.extra = row.text(10);
    return true;
  }

 private:
  model::ItemSummaryView view_;
  std::vector<std::string_view> tags_;
};

/// The same of all the table's columns.
template <class Row>
class ItemRow {
 public:
  const model::ItemView* operator()(const Row& row) {
    if (!summary_.read(row, view_) || !row.list(11, related_)) return nullptr;
    view_.related = related_;
    view_.content = row.text(12);
    view_.revision = row.number(0);
    return &view_;
  }

 private:
  SummaryRow<Row> summary_;
  model::ItemView view_;
  std::vector<std::string_view> related_;
};

/// Reads rows of categories, up to `items`, as above.
template <class Row>
class CategoryRow {
 public:
  const model::CategoryView* operator()(const Row& row) {
    view_.revision = row.number(0);
    view_.id = row.text(1);
    view_.name = row.text(2);
    view_.description = row.text(3);
    view_.icon = row.text(4);
    if (!row.list(5, subcategories_)) return nullptr;
    view_.subcategories = subcategories_;
    view_.item_count = row.number(6);
    return &view_;
  }

 private:
  model::CategoryView view_;
  std::vector<std::string_view> subcategories_;
};

}  // namespace kbase::records
