// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "adapters/postgres/wire.hpp"
#include "domain/model/day.hpp"

namespace kbase::postgres {

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
  static constexpr std::size_t kMost = 12;

  Parameters() = default;
  template <class... Values>
  explicit Parameters(const Values&... values) {
    static_assert(sizeof...(values) <= kMost);
    (add(values), ...);
  }

  int count() const { return static_cast<int>(count_); }

  /// Arrays in the format of PQsendQueryPrepared.
  struct Arrays {
    std::array<std::uint32_t, kMost> types;
    std::array<const char*, kMost> values;
    std::array<int, kMost> lengths;
    std::array<int, kMost> formats;
  };
  /// Returns arrays that point into this object.
  Arrays arrays() const;

 private:
  struct Slot {
    wire::Type type;
    bool is_null = false;
    bool is_inline = false;
    std::string_view lent;
    std::array<char, 8> own{};  // big-endian
    int own_length = 0;
  };

  void add(std::int64_t number) { add_number(wire::Type::Bigint, number, 8); }
  void add(std::uint64_t number) { add(static_cast<std::int64_t>(number)); }
  void add(std::int16_t number) { add_number(wire::Type::Smallint, number, 2); }
  void add(model::Day day) { add_number(wire::Type::Date, wire::date_of(day), 4); }
  void add(model::Instant instant) { add_number(wire::Type::Timestamp, wire::timestamp_of(instant), 8); }
  void add(std::string_view bytes) { add_lent(wire::Type::Bytea, bytes); }
  void add(wire::Bytes bytes) { add({reinterpret_cast<const char*>(bytes.data()), bytes.size()}); }
  void add(Text text) { add_lent(wire::Type::Text, text.text); }
  void add(wire::List* list) { add_lent(list->type(), list->done()); }
  template <class T>
  void add(const std::optional<T>& value) {
    add(value.value_or(T{}));
    slots_[count_ - 1].is_null = !value;
  }

  void add_number(wire::Type type, std::int64_t number, int bytes);
  void add_lent(wire::Type type, std::string_view bytes);

  std::array<Slot, kMost> slots_;
  std::size_t count_ = 0;
};

}  // namespace kbase::postgres
