// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/model/day.hpp"

/// PostgreSQL's binary representations, as its types' send and receive functions define them: numbers most significant
/// byte first, days from 2000-01-01, times in microseconds from then. Nothing is escaped, and no byte is special.
namespace kbase::postgres::wire {

using Bytes = std::span<const std::uint8_t>;

/// The types in use, by their fixed numbers (src/include/catalog/pg_type.dat).
enum class Type : std::uint32_t {
  Bytea = 17,
  Bigint = 20,
  Smallint = 21,
  Text = 25,
  ByteaList = 1001,
  BigintList = 1016,
  Date = 1082,
  DateList = 1182,
  Timestamp = 1184,
};

void put16(std::string& to, std::int16_t number);
void put32(std::string& to, std::int32_t number);
void put64(std::string& to, std::int64_t number);

/// Of 2, 4 or 8 bytes; anything else is 0.
std::int64_t integer(std::string_view bytes);

std::int32_t date_of(model::Day day);
model::Day day_of(std::int64_t date);
std::int64_t timestamp_of(model::Instant instant);
model::Instant instant_of(std::int64_t timestamp);

/// An array of one dimension under way (array_recv).
class List {
 public:
  /// Of elements of `element`, which is Bytea, Bigint or Date.
  explicit List(Type element);

  void add(std::string_view bytes);
  void add(std::int64_t number);
  void add(model::Day day);

  Type type() const;
  /// The representation; good until the next add.
  std::string_view done();

 private:
  Type element_;
  std::int32_t count_ = 0;
  std::string bytes_;
};

/// Reads an array of one dimension without nulls. False: it is none, or damaged. The views are into `bytes`.
bool read_list(std::string_view bytes, std::vector<std::string_view>& list);

}  // namespace kbase::postgres::wire
