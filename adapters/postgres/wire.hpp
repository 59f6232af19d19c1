// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/model/day.hpp"
#include "domain/model/ids.hpp"
#include "domain/model/item.hpp"

struct pg_result;

namespace kbase::postgres {

/// PostgreSQL's binary formats, as defined by the send and receive functions of its types: numbers in big-endian order,
/// days since 2000-01-01, times in microseconds since then. No escaping; strings can contain any byte.
namespace wire {

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

std::int32_t to_date(model::Day day);
model::Day from_date(std::int64_t date);
std::int64_t to_timestamp(model::Instant instant);
model::Instant from_timestamp(std::int64_t timestamp);

/// Builder of a one-dimensional array (array_recv).
class ArrayBuilder {
 public:
  /// `element` is the element type: Bytea, Bigint or Date.
  explicit ArrayBuilder(Type element);

  void add(std::string_view bytes);
  void add(std::int64_t number);
  void add(model::Day day);

  Type type() const;
  /// Returns the encoded array, valid until the next add.
  std::string_view encode();

 private:
  Type element_;
  std::int32_t count_ = 0;
  std::string bytes_;
};

/// Reads a one-dimensional array without nulls into views of `bytes`. False: the bytes are not such an array, or are
/// damaged.
bool read_list(std::string_view bytes, std::vector<std::string_view>& list);

}  // namespace wire

/// Clamps a count or revision to the largest signed 64-bit integer, the largest that PostgreSQL can store.
inline std::uint64_t storable(std::uint64_t number) {
  return std::min<std::uint64_t>(number, std::numeric_limits<std::int64_t>::max());
}

/// A parameter of the type text. Other strings are sent as bytea.
struct Text {
  std::string_view text;
};

/// Parameters of one statement, $1 first, typed and in binary format. Strings and lists are not copied: they must stay
/// valid until the statement has run.
class Parameters {
 public:
  static constexpr std::size_t kMaxParameters = 12;

  Parameters() = default;
  template <class... Values> explicit Parameters(const Values&... values) {
    static_assert(sizeof...(values) <= kMaxParameters);
    (add(values), ...);
  }

  int count() const { return static_cast<int>(count_); }

  /// Arrays in the format of PQsendQueryPrepared.
  struct Arrays {
    std::array<std::uint32_t, kMaxParameters> types;
    std::array<const char*, kMaxParameters> values;
    std::array<int, kMaxParameters> lengths;
    std::array<int, kMaxParameters> formats;
  };
  /// Returns arrays that point into this object.
  Arrays arrays() const;

 private:
  struct Slot {
    wire::Type type;
    bool is_null = false;
    bool is_inline = false;
    std::string_view view;
    std::array<char, 8> inline_bytes{};  // big-endian
    int inline_length = 0;
  };

  void add(std::int64_t number) { add_number(wire::Type::Bigint, number, 8); }
  void add(std::uint64_t number) { add(static_cast<std::int64_t>(number)); }
  void add(std::int16_t number) { add_number(wire::Type::Smallint, number, 2); }
  void add(model::Day day) { add_number(wire::Type::Date, wire::to_date(day), 4); }
  void add(model::Instant instant) { add_number(wire::Type::Timestamp, wire::to_timestamp(instant), 8); }
  void add(std::string_view bytes) { add_view(wire::Type::Bytea, bytes); }
  void add(wire::Bytes bytes) { add({reinterpret_cast<const char*>(bytes.data()), bytes.size()}); }
  void add(Text text) { add_view(wire::Type::Text, text.text); }
  void add(wire::ArrayBuilder* list) { add_view(list->type(), list->encode()); }
  template <class T> void add(const std::optional<T>& value) {
    add(value.value_or(T{}));
    slots_[count_ - 1].is_null = !value;
  }

  void add_number(wire::Type type, std::int64_t number, int bytes);
  void add_view(wire::Type type, std::string_view bytes);

  std::array<Slot, kMaxParameters> slots_;
  std::size_t count_ = 0;
};

/// One row of a result in binary format. Columns are numbered from 0. Views are valid as long as the result.
class Row {
 public:
  Row(const pg_result* result, int number) : result_(result), number_(number) {}

  std::string_view text(int column) const;
  bool is_null(int column) const;
  std::int64_t integer(int column) const { return wire::integer(text(column)); }
  std::uint64_t number(int column) const { return static_cast<std::uint64_t>(integer(column)); }
  bool flag(int column) const { return text(column) == std::string_view("\1", 1); }
  model::Day day(int column) const { return wire::from_date(integer(column)); }
  model::Instant instant(int column) const { return wire::from_timestamp(integer(column)); }
  bool list(int column, std::vector<std::string_view>& list) const { return wire::read_list(text(column), list); }
  wire::Bytes bytes(int column) const {
    const std::string_view view = text(column);
    return {reinterpret_cast<const std::uint8_t*>(view.data()), view.size()};
  }

 private:
  const pg_result* result_;
  int number_;
};

/// Complete result of a statement.
class QueryResult {
 public:
  explicit QueryResult(pg_result* result) : result_(result) {}

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

/// Rows for COPY ... FROM STDIN (FORMAT binary), in the format of the COPY manual page, section "Binary Format".
class CopyRows {
 public:
  /// Appends a row with the columns KBASE_ITEM_COLUMNS. Copies all data.
  void add(const model::ItemView& item, model::Revision revision);

  std::size_t size() const { return bytes_.size(); }
  bool empty() const;

  /// Returns all rows with header and trailer, valid until the next add, which starts a new set of rows.
  std::string_view finish();

 private:
  void add(std::string_view bytes);
  void add(std::int64_t number);
  void add(std::uint64_t number) { add(static_cast<std::int64_t>(number)); }
  void add(model::Day day);
  void add(model::TextList list);

  std::string bytes_;
  bool is_finished_ = true;
};

}  // namespace kbase::postgres
