// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "adapters/postgres/session.hpp"
#include "domain/model/category.hpp"
#include "domain/model/item.hpp"

namespace kbase::postgres {

/// Reads rows of items that have the table's columns in its order, up to `further`. What it returns views the answer's
/// memory and its own, until the next read. Null: the row is damaged.
class SummaryRow {
 public:
  const model::ItemSummaryView* operator()(const Row& row);

 private:
  model::ItemSummaryView view_;
  std::vector<std::string_view> tags_;
};

/// The same of all the table's columns.
class ItemRow {
 public:
  const model::ItemView* operator()(const Row& row);

 private:
  model::ItemView view_;
  std::vector<std::string_view> tags_, related_;
};

/// Reads rows of categories, up to `items`, as above.
class CategoryRow {
 public:
  const model::CategoryView* operator()(const Row& row);

 private:
  model::CategoryView view_;
  std::vector<std::string_view> subcategories_;
};

/// Lends the rows of a statement to the visitor, up to a stop. `read` turns a row into a pointer to a Row or an
/// optional<Row>; null where the row is damaged.
template <class Kind, class Read>
model::Status visit_rows(Session& session, const char* sql, const Parameters& parameters, Read&& read,
                         model::Visitor<Kind> visitor) {
  return session.stream(sql, parameters, [&](const Row& row) -> model::Result<model::Visit> {
    const auto value = read(row);
    if (!value) return session.corrupt("a row is damaged");
    return visitor(*value);
  });
}

/// The same of a statement with one row at most. False: there is none.
template <class Kind, class Read>
model::Result<bool> visit_one(Session& session, const char* sql, const Parameters& parameters, Read&& read,
                              model::Visitor<Kind> visitor) {
  bool found = false;
  const auto visited = visit_rows<Kind>(session, sql, parameters, read, [&](const Kind& row) {
    found = true;
    return visitor(row);
  });
  if (!visited) return visited.error();
  return found;
}

}  // namespace kbase::postgres
