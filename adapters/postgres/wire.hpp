// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/model/day.hpp"

/// PostgreSQL's binary formats, as defined by the send and receive functions of its types: numbers in big-endian order,
/// days since 2000-01-01, times in microseconds since then. No escaping; strings can contain any byte.
namespace kbase::postgres::wire {

using Bytes = std::span<const std::uint8_t>;

/// Object ids of the types in use (src/include/catalog/pg_type.dat).
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

/// Reads a big-endian integer of 2, 4 or 8 bytes; returns 0 for other lengths.
std::int64_t integer(std::string_view bytes);

std::int32_t date_of(model::Day day);
model::Day day_of(std::int64_t date);
std::int64_t timestamp_of(model::Instant instant);
model::Instant instant_of(std::int64_t timestamp);

/// Builder of a one-dimensional array (array_recv).
class List {
 public:
  /// `element` is the element type: Bytea, Bigint or Date.
  explicit List(Type element);

  void add(std::string_view bytes);
  void add(std::int64_t number);
  void add(model::Day day);

  Type type() const;
  /// Returns the encoded array, valid until the next add.
  std::string_view done();

 private:
  Type element_;
  std::int32_t count_ = 0;
  std::string bytes_;
};

/// Reads a one-dimensional array without nulls into views of `bytes`. False: the bytes are not such an array, or are
/// damaged.
bool read_list(std::string_view bytes, std::vector<std::string_view>& list);

}  // namespace kbase::postgres::wire
