// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "adapters/records/rows.hpp"
#include "adapters/sqlite/connection.hpp"
#include "domain/base/function_ref.hpp"

namespace kbase::sqlite {

using SummaryRow = records::SummaryRow<Statement>;
using ItemRow = records::ItemRow<Statement>;
using CategoryRow = records::CategoryRow<Statement>;

/// Passes each row of the statement to the visitor until it returns Stop. `read` converts the current row to a pointer
/// to a Row or to an optional<Row>, null if the row is damaged. The row is valid during the visit.
template <class Row, class Read>
Status visit_rows(Statement& rows, Read&& read, Visitor<Row> visitor) {
  for (;;) {
    const Result<bool> found = rows.step();
    if (!found) return found.error();
    if (!*found) return {};
    const auto row = read(rows);
    if (!row) return rows.corrupt("a row is damaged");
    if (visitor(*row) == Visit::Stop) return {};
  }
}

/// Looks up each id with a statement that returns at most one row, and passes the rows found to the visitor until it
/// returns Stop.
template <class Row, class Read>
Status visit_rows_by_id(Connection& connection, const char* sql, std::span<const std::string_view> ids, Read&& read,
                        Visitor<Row> visitor) {
  for (const std::string_view id : ids) {
    Statement rows = connection.prepare(sql).bind(id);
    const Result<bool> found = rows.step();
    if (!found) return found.error();
    if (!*found) continue;
    const auto row = read(rows);
    if (!row) return rows.corrupt("a row is damaged");
    if (visitor(*row) == Visit::Stop) return {};
  }
  return {};
}

}  // namespace kbase::sqlite
