// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/plugin.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "domain/model/day.hpp"
#include "domain/model/item.hpp"
#include "domain/model/query.hpp"
#include "domain/model/result.hpp"
#include "plugins/sdk/arena.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/language_model.hpp"
#include "ports/driven/rate_limit_store.hpp"
#include "ports/driven/search_index.hpp"

/// Conversion between the ports' values and the structs of the C header. Host and plugin both use both directions. Which
/// member of a struct corresponds to which member of a value is in plugins/sdk/generated/fields.hpp.
namespace kbase::sdk {

inline kb_view view_of(std::string_view text) noexcept {
  return {text.data(), text.size()};
}
inline std::string_view text_of(kb_view view) noexcept {
  return {view.data, view.size};
}

/// Returns a zero-initialized struct, with struct_size set if it has one.
template <class Struct>
Struct sized() noexcept {
  Struct made{};
  if constexpr (requires { made.struct_size; }) made.struct_size = sizeof made;
  return made;
}

/// Copies `made` to the caller's struct `out`, at most out.struct_size bytes; the size member stays unchanged.
template <class Struct>
void fill_in(const Struct& made, Struct& out) noexcept {
  constexpr std::size_t kHead = sizeof(out.struct_size);
  const std::size_t size = std::min<std::size_t>(out.struct_size, sizeof(Struct));
  if (size <= kHead) return;
  std::memcpy(reinterpret_cast<char*>(&out) + kHead, reinterpret_cast<const char*>(&made) + kHead, size - kHead);
}

/// KB_OK has no error code. Unknown numbers become Internal.
kb_status status_of(model::ErrorCode code) noexcept;
model::ErrorCode code_of(kb_status status) noexcept;

kb_explanation explanation_of(const model::Error& error) noexcept;
/// Copies the texts.
model::Error error_of(kb_status status, const kb_explanation& why);

inline std::int32_t number_of(model::Day day) noexcept {
  return static_cast<std::int32_t>(day.time_since_epoch().count());
}
inline model::Day day_of(std::int32_t number) noexcept {
  return model::Day(std::chrono::days(number));
}
inline std::int64_t milliseconds_of(model::Instant instant) noexcept {
  return instant.time_since_epoch().count();
}
inline model::Instant instant_of(std::int64_t milliseconds) noexcept {
  return model::Instant(std::chrono::milliseconds(milliseconds));
}

/// Converts a duration in milliseconds. One above a year becomes a year, so that adding it to a time never overflows.
inline std::chrono::milliseconds duration_of(std::uint64_t milliseconds) noexcept {
  constexpr std::chrono::milliseconds kLongest = std::chrono::hours(24 * 366);
  return std::chrono::milliseconds(std::min<std::uint64_t>(milliseconds, kLongest.count()));
}

/// Converts a deadline to nanoseconds of the host's monotonic clock, and back.
inline std::uint64_t nanoseconds_of(ports::Call::SteadyTime time) noexcept {
  if (time == ports::Call::SteadyTime::max()) return std::numeric_limits<std::uint64_t>::max();
  const auto since = std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
  return since < 0 ? 0 : static_cast<std::uint64_t>(since);
}
inline ports::Call::SteadyTime time_of(std::uint64_t nanoseconds) noexcept {
  using Nanoseconds = std::chrono::nanoseconds;
  if (nanoseconds > static_cast<std::uint64_t>(Nanoseconds::max().count())) return ports::Call::SteadyTime::max();
  return ports::Call::SteadyTime(std::chrono::duration_cast<ports::Call::SteadyTime::duration>(
      Nanoseconds(static_cast<std::int64_t>(nanoseconds))));
}

/// Converts to the ports' 32-bit counts. A larger limit becomes the maximum; a larger cost cannot be charged.
inline std::uint32_t narrowed(std::uint64_t number) noexcept {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(number, std::numeric_limits<std::uint32_t>::max()));
}

kb_take to_c(const ports::AcquireRequest& request) noexcept;
/// Requires a cost that fits into 32 bits.
ports::AcquireRequest from_c(const kb_take& take) noexcept;

/// The members of the C struct `Row` and of the port's `Value` that correspond. `visit(converter, row, value)` calls a
/// member function of the converter for each pair. Specializations are generated from ports/definitions. A row that a
/// sink receives as separate parameters is a std::tuple of them.
template <class Row, class Value>
struct Fields;

/// A C number and the enumerator with the same meaning.
template <class Enum>
struct Choice {
  std::int32_t number;
  Enum value;
};

/// Converts a number that no enumerator has, as a newer header may add one. nullopt: it is an error.
template <class Enum>
inline constexpr std::optional<Enum> kUnknownChoice = std::nullopt;
template <>
inline constexpr std::optional<ports::FinishReason> kUnknownChoice<ports::FinishReason> = ports::FinishReason::Other;

/// null: no error. Otherwise a phrase that continues "the plugin", for a caller who passed a wrong value.
using Violation = const char*;

/// Converts port values to C structs. A result points into its source or into the converter; it is valid until clear().
/// Not thread-safe.
class ToC {
 public:
  /// Invalidates all results and returns the converter.
  ToC& clear() noexcept {
    arena_.clear();
    return *this;
  }

  /// Fills in the row's members; the others stay.
  template <class Row, class Value>
  void fill(Row& row, const Value& value) {
    Fields<Row, Value>::visit(*this, row, value);
  }

  template <class Row, class Value>
  const Row& row(const Value& value) {
    Row& made = arena_.make<Row>(1).front() = sized<Row>();
    fill(made, value);
    return made;
  }

  // Arguments of a call.

  static kb_view value(std::string_view text) noexcept { return view_of(text); }
  static std::uint64_t value(std::uint64_t number) noexcept { return number; }
  static std::int32_t value(model::Day day) noexcept { return number_of(day); }
  static std::uint64_t value(std::chrono::milliseconds duration) noexcept {
    return static_cast<std::uint64_t>(duration.count());
  }
  template <std::size_t kSize>
  static const std::uint8_t* value(const std::array<std::uint8_t, kSize>& bytes) noexcept {
    return bytes.data();
  }
  template <class Enum, std::size_t kCount>
  static std::int32_t value(Enum value, const std::array<Choice<Enum>, kCount>& choices) noexcept {
    return std::find_if(choices.begin(), choices.end(), [&](const auto& each) { return each.value == value; })->number;
  }
  template <class Value>
  auto value(const std::optional<Value>& optional) -> const decltype(value(*optional))* {
    if (!optional) return nullptr;
    auto& made = arena_.make<std::remove_cvref_t<decltype(value(*optional))>>(1).front();
    made = value(*optional);
    return &made;
  }
  std::span<const kb_view> texts(std::span<const std::string_view> texts) {
    const auto made = arena_.make<kb_view>(texts.size());
    std::transform(texts.begin(), texts.end(), made.begin(), view_of);
    return made;
  }
  /// Structs of values.
  template <class Row, class Value>
  std::span<const Row> rows(std::span<const Value> values) {
    const auto made = arena_.make<Row>(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      made[i] = sized<Row>();
      fill(made[i], element(values[i]));
    }
    return made;
  }
  /// Pointers to structs.
  template <class Row, class Value>
  std::span<const Row* const> pointers(std::span<const Value> values) {
    const std::span<const Row> rows = this->rows<Row>(values);
    const auto made = arena_.make<const Row*>(rows.size());
    std::transform(rows.begin(), rows.end(), made.begin(), [](const Row& row) { return &row; });
    return made;
  }

  // Members of a struct; `Fields` calls these.

  void id(kb_view& to, std::string_view from) noexcept { to = view_of(from); }
  void name(kb_view& to, std::string_view from) noexcept { to = view_of(from); }
  void bytes(kb_view& to, std::string_view from) noexcept { to = view_of(from); }
  void text(kb_view& to, std::string_view from) noexcept { to = view_of(from); }
  void text(kb_view& to, const std::string& from) noexcept { to = view_of(from); }
  /// Null data: no text.
  void text(kb_view& to, const std::optional<std::string_view>& from) noexcept {
    if (from) to = {from->data() != nullptr ? from->data() : "", from->size()};
  }
  void text(kb_view& to, const std::optional<model::Instant>& from);
  void texts(const kb_view*& to, std::size_t& count, model::TextList from) {
    to = texts(from).data();
    count = from.size();
  }
  /// Null: no list. An empty list has a non-null address.
  void texts(const kb_view*& to, std::size_t& count, const std::optional<model::TextList>& from) {
    if (!from) return;
    texts(to, count, *from);
    if (count == 0) to = arena_.make<kb_view>(1).data();
  }
  void number(auto& to, auto from) noexcept { to = from; }
  void number(double& to, const std::optional<double>& from) noexcept { to = from.value_or(0); }
  void number(std::uint64_t& to, const std::optional<std::uint64_t>& from) noexcept {
    to = from.value_or(KB_UNKNOWN_NUMBER);
  }
  void number(std::int32_t& to, const std::optional<bool>& from) noexcept { to = from ? std::int32_t{*from} : -1; }
  void number(std::uint32_t& to, ports::Decision::Account from) noexcept {
    to = from == ports::Decision::Account::Shared ? KB_ACCOUNT_SHARED : KB_ACCOUNT_OWN;
  }
  void flag(std::uint32_t& to, bool from) noexcept { to = from ? 1 : 0; }
  void flag(std::uint32_t& to, model::MatchRule from) noexcept { to = from == model::MatchRule::AnyWord ? 1 : 0; }
  template <class Value>
  void flag(std::uint32_t& to, const std::optional<Value>& from) noexcept {
    to = from ? 1 : 0;
  }
  void day(std::int32_t& to, model::Day from) noexcept { to = number_of(from); }
  void instant(std::int64_t& to, model::Instant from) noexcept { to = milliseconds_of(from); }
  void instant(std::int64_t& to, const std::optional<model::Instant>& from) noexcept {
    to = from ? milliseconds_of(*from) : KB_NEVER;
  }
  template <std::size_t kSize>
  void array(std::uint8_t (&to)[kSize], const std::array<std::uint8_t, kSize>& from) noexcept {
    std::copy(from.begin(), from.end(), to);
  }
  template <std::size_t kSize>
  void array(std::uint8_t (&to)[kSize], const std::optional<std::array<std::uint8_t, kSize>>& from) noexcept {
    if (from) array(to, *from);
  }
  template <class Enum, std::size_t kCount>
  void choice(std::int32_t& to, Enum from, const std::array<Choice<Enum>, kCount>& choices) noexcept {
    to = value(from, choices);
  }
  template <class Row, class Value>
  void list(const Row*& to, std::size_t& count, std::span<const Value> from) {
    to = rows<Row>(from).data();
    count = from.size();
  }
  template <class Row, class Value>
  void ref(const Row*& to, const Value* from) {
    to = from != nullptr ? &row<Row>(*from) : nullptr;
  }
  void ref(const kb_query_node*& to, const model::QueryNode* from) { to = from != nullptr ? &node(*from) : nullptr; }
  template <class Row, class Value>
  void optional(const Row*& to, const std::optional<Value>& from) {
    to = value(from);
  }
  void bits(std::uint32_t& to, const ports::SearchRequest& from) noexcept {
    to = (from.highlights ? KB_WANTS_MARKS : 0) | (from.facets.categories ? KB_WANTS_CATEGORIES : 0) |
         (from.facets.tags ? KB_WANTS_TAGS : 0);
  }

 private:
  template <class Value>
  static const Value& element(const Value& value) noexcept {
    return value;
  }
  template <class Value>
  static const Value& element(const Value* value) noexcept {
    return *value;
  }
  const kb_query_node& node(const model::QueryNode& node);

  Arena arena_;
};

/// Converts C structs to port values. A result points into its source or into the converter; it is valid until clear().
/// Not thread-safe.
///
/// A validating converter also checks what a plugin passes: texts, ids, days, instants and lists. Otherwise only what
/// the conversion itself needs is checked.
class FromC {
 public:
  explicit FromC(bool is_validating = false) noexcept : is_validating_(is_validating) {}

  /// Invalidates all results, forgets the violation, and returns the converter.
  FromC& clear() noexcept {
    arena_.clear();
    violation_ = nullptr;
    return *this;
  }

  /// The first wrong value since clear(); null: none.
  Violation violation() const noexcept { return violation_; }
  /// Number of bytes of all texts that a validating converter saw.
  std::size_t text_bytes() const noexcept { return text_bytes_; }

  template <class Row, class Value>
  void read(const Row& row, Value& value) {
    Fields<Row, Value>::visit(*this, row, value);
  }
  template <class Value, class Row>
  Value row(const Row& row) {
    Value value{};
    read(row, value);
    return value;
  }

  // Arguments of a call.

  std::span<const std::string_view> texts(const kb_view* views, std::size_t count) {
    const auto made = arena_.make<std::string_view>(count);
    std::transform(views, views + count, made.begin(), text_of);
    return made;
  }
  static std::optional<std::string_view> optional(const kb_view* view) noexcept {
    return view != nullptr ? std::optional(text_of(*view)) : std::nullopt;
  }
  template <std::size_t kSize>
  static std::array<std::uint8_t, kSize> array(const std::uint8_t* bytes) noexcept {
    std::array<std::uint8_t, kSize> made;
    std::copy_n(bytes, kSize, made.begin());
    return made;
  }
  template <class Enum, std::size_t kCount>
  Enum choice(std::int32_t number, const std::array<Choice<Enum>, kCount>& choices) noexcept {
    Enum value = choices[0].value;
    choice(number, value, choices);
    return value;
  }
  template <class Value, class Row>
  std::span<const Value> rows(const Row* rows, std::size_t count) {
    const auto made = arena_.make<Value>(count);
    for (std::size_t i = 0; i < count; ++i) read(rows[i], made[i]);
    return made;
  }
  template <class Value, class Row>
  std::span<const Value> rows(const Row* const* rows, std::size_t count) {
    const auto made = arena_.make<Value>(count);
    for (std::size_t i = 0; i < count; ++i) read(*rows[i], made[i]);
    return made;
  }
  template <class Value, class Row>
  std::span<const Value* const> pointers(const Row* const* rows, std::size_t count) {
    const std::span<const Value> values = this->rows<Value>(rows, count);
    const auto made = arena_.make<const Value*>(count);
    std::transform(values.begin(), values.end(), made.begin(), [](const Value& value) { return &value; });
    return made;
  }

  // Members of a struct; `Fields` calls these.

  void id(kb_view from, auto& to) {
    if (!is_validating_ || check_id(from)) to = text_of(from);
  }
  /// A text that is not empty.
  void name(kb_view from, auto& to) {
    if (is_validating_ && from.size == 0) fail("passed an empty name");
    text(from, to);
  }
  /// At most 16 MiB.
  void bytes(kb_view from, std::string_view& to) {
    if (!is_validating_ || check_bytes(from)) to = text_of(from);
  }
  void text(kb_view from, auto& to) {
    if (!is_validating_ || check_text(from)) to = text_of(from);
  }
  void text(kb_view from, std::optional<std::string_view>& to) {
    to.reset();
    if (from.data != nullptr || from.size != 0) text(from, to.emplace());
  }
  void text(kb_view from, std::optional<model::Instant>& to);
  void texts(const kb_view* from, std::size_t count, model::TextList& to) {
    if (!is_validating_ || check_list(from, count)) to = texts(from, count);
  }
  void texts(const kb_view* from, std::size_t count, std::optional<model::TextList>& to) {
    to.reset();
    if (from != nullptr || count != 0) texts(from, count, to.emplace());
  }
  void number(auto from, auto& to) noexcept { to = from; }
  void number(std::uint64_t from, std::uint32_t& to) noexcept { to = narrowed(from); }
  void number(std::int32_t from, std::optional<bool>& to) noexcept {
    to = from < 0 ? std::nullopt : std::optional(from != 0);
  }
  void number(std::uint64_t from, std::optional<std::uint64_t>& to) noexcept {
    to = from == KB_UNKNOWN_NUMBER ? std::nullopt : std::optional(from);
  }
  /// Requires that the flag was read before.
  void number(double from, std::optional<double>& to) noexcept {
    if (to) *to = from;
  }
  void number(std::uint32_t from, ports::Decision::Account& to) noexcept {
    to = from == KB_ACCOUNT_SHARED ? ports::Decision::Account::Shared : ports::Decision::Account::Own;
  }
  void flag(std::uint32_t from, bool& to) noexcept { to = from != 0; }
  void flag(std::uint32_t from, model::MatchRule& to) noexcept {
    to = from != 0 ? model::MatchRule::AnyWord : model::MatchRule::AllWords;
  }
  template <class Value>
  void flag(std::uint32_t from, std::optional<Value>& to) noexcept {
    if (from == 0) to.reset();
    else if (!to) to.emplace();
  }
  void day(std::int32_t from, model::Day& to) noexcept {
    if (is_validating_) check_day(from);
    to = day_of(from);
  }
  void instant(std::int64_t from, model::Instant& to) noexcept {
    if (is_validating_) check_instant(from);
    to = instant_of(from);
  }
  void instant(std::int64_t from, std::optional<model::Instant>& to) noexcept {
    to.reset();
    if (from != KB_NEVER) instant(from, to.emplace());
  }
  template <std::size_t kSize>
  void array(const std::uint8_t (&from)[kSize], std::array<std::uint8_t, kSize>& to) noexcept {
    std::copy_n(from, kSize, to.begin());
  }
  /// The flag that says whether there are bytes is read later.
  template <std::size_t kSize>
  void array(const std::uint8_t (&from)[kSize], std::optional<std::array<std::uint8_t, kSize>>& to) noexcept {
    array(from, to.emplace());
  }
  template <class Enum, std::size_t kCount>
  void choice(std::int32_t from, Enum& to, const std::array<Choice<Enum>, kCount>& choices) noexcept {
    const auto* const known =
        std::find_if(choices.begin(), choices.end(), [&](const auto& each) { return each.number == from; });
    if (known != choices.end()) to = known->value;
    else if (kUnknownChoice<Enum>) to = *kUnknownChoice<Enum>;
    else fail("passed a number that the enumeration does not have");
  }
  template <class Row, class Value>
  void list(const Row* from, std::size_t count, std::span<const Value>& to) {
    if (!is_validating_ || check_size(from, count)) to = rows<Value>(from, count);
  }
  template <class Row, class Value>
  void ref(const Row* from, const Value*& to) {
    to = nullptr;
    if (from == nullptr) return;
    if constexpr (std::is_trivially_copyable_v<Value>) {
      if (is_validating_ && from->struct_size < Fields<Row, Value>::kSmallest) {
        fail(kNoStruct);
        return;
      }
      Value& made = arena_.make<Value>(1).front();
      read(*from, made);
      to = &made;
    }
  }
  void ref(const kb_query_node* from, const model::QueryNode*& to);
  void optional(const kb_view* from, std::optional<std::string_view>& to) noexcept { to = optional(from); }
  void optional(const std::int32_t* from, std::optional<model::Day>& to) noexcept {
    to = from != nullptr ? std::optional(day_of(*from)) : std::nullopt;
  }
  void bits(std::uint32_t from, ports::SearchRequest& to) noexcept {
    to.highlights = (from & KB_WANTS_MARKS) != 0;
    to.facets.categories = (from & KB_WANTS_CATEGORIES) != 0;
    to.facets.tags = (from & KB_WANTS_TAGS) != 0;
  }

  /// Records a violation; the first one stays. Returns false.
  bool fail(Violation violation) noexcept {
    if (violation_ == nullptr) violation_ = violation;
    return false;
  }

  static constexpr Violation kNoStruct = "passed a struct that is null or smaller than in 1.0";

 private:
  bool check_id(kb_view view) noexcept;
  bool check_bytes(kb_view view) noexcept;
  bool check_text(kb_view view) noexcept;
  void check_day(std::int32_t number) noexcept;
  void check_instant(std::int64_t milliseconds) noexcept;
  bool check_size(const void* first, std::size_t count) noexcept;
  bool check_list(const kb_view* views, std::size_t count) noexcept;

  Arena arena_;
  std::optional<model::QueryNode> query_;
  Violation violation_ = nullptr;
  std::size_t text_bytes_ = 0;
  const bool is_validating_;
};

}  // namespace kbase::sdk

#include "plugins/sdk/generated/fields.hpp"
