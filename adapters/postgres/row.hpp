// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "adapters/postgres/wire.hpp"
#include "domain/model/day.hpp"

struct pg_result;

namespace kbase::postgres {

/// One row of a result in binary format. Columns are numbered from 0. Views are valid as long as the result.
class Row {
 public:
  Row(const pg_result* answer, int number) : answer_(answer), number_(number) {}

  std::string_view text(int column) const;
  bool is_null(int column) const;
  std::int64_t integer(int column) const { return wire::integer(text(column)); }
  std::uint64_t number(int column) const { return static_cast<std::uint64_t>(integer(column)); }
  bool flag(int column) const { return text(column) == std::string_view("\1", 1); }
  model::Day day(int column) const { return wire::day_of(integer(column)); }
  model::Instant instant(int column) const { return wire::instant_of(integer(column)); }
  bool list(int column, std::vector<std::string_view>& list) const { return wire::read_list(text(column), list); }
  wire::Bytes bytes(int column) const {
    const std::string_view view = text(column);
    return {reinterpret_cast<const std::uint8_t*>(view.data()), view.size()};
  }

 private:
  const pg_result* answer_;
  int number_;
};

/// Complete result of a statement.
class Answer {
 public:
  explicit Answer(pg_result* result) : result_(result) {}

  int rows() const;
  Row row(int number) const { return Row(result_.get(), number); }

  /// Number of rows that the statement inserted, updated or deleted.
  std::uint64_t changed_rows() const;

  const pg_result* get() const { return result_.get(); }

 private:
  struct Clear {
    void operator()(pg_result* result) const noexcept;
  };
  std::unique_ptr<pg_result, Clear> result_;
};

}  // namespace kbase::postgres
