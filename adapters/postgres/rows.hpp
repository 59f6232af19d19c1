// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "adapters/postgres/session.hpp"
#include "adapters/records/rows.hpp"

namespace kbase::postgres {

using SummaryRow = records::SummaryRow<Row>;
using ItemRow = records::ItemRow<Row>;
using CategoryRow = records::CategoryRow<Row>;

/// Passes each row of the statement to the visitor until it returns Stop. `read` converts a row to a pointer to a Kind
/// or to an optional<Kind>, null if the row is damaged.
template <class Kind, class Read>
Status visit_rows(Session& session, const char* sql, const Parameters& parameters, Read&& read, Visitor<Kind> visitor) {
  return session.stream(sql, parameters, [&](const Row& row) -> Result<Visit> {
    const auto value = read(row);
    if (!value) return session.corrupt_error("a row is damaged");
    return visitor(*value);
  });
}

/// Passes the row of a statement that returns at most one row to the visitor. False: no row.
template <class Kind, class Read>
Result<bool> visit_one(Session& session, const char* sql, const Parameters& parameters, Read&& read,
                       Visitor<Kind> visitor) {
  bool found = false;
  const auto visited = visit_rows<Kind>(session, sql, parameters, read, [&](const Kind& row) {
    found = true;
    return visitor(row);
  });
  if (!visited) return visited.error();
  return found;
}

}  // namespace kbase::postgres
