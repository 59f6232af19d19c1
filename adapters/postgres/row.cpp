// SPDX-License-Identifier: Apache-2.0
#include "adapters/postgres/row.hpp"

#include <libpq-fe.h>

#include <charconv>

namespace kbase::postgres {

std::string_view Row::text(int column) const {
  return {PQgetvalue(answer_, number_, column), static_cast<std::size_t>(PQgetlength(answer_, number_, column))};
}

bool Row::is_null(int column) const {
  return PQgetisnull(answer_, number_, column) != 0;
}

int Answer::rows() const {
  return PQntuples(result_.get());
}

std::uint64_t Answer::changed_rows() const {
  const std::string_view told = PQcmdTuples(result_.get());
  std::uint64_t rows = 0;
  std::from_chars(told.data(), told.data() + told.size(), rows);
  return rows;
}

void Answer::Clear::operator()(pg_result* result) const noexcept {
  PQclear(result);
}

}  // namespace kbase::postgres
