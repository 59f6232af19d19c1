// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include "plugins/sdk/conversions.hpp"

namespace kbase::sdk {

/// Converts port values to C structs. A result points into its source or into the converter; it is valid until clear().
/// Not thread-safe.
class ToC {
 public:
  /// Invalidates all results and returns the converter.
  ToC& clear() noexcept {
    arena_.clear();
    return *this;
  }

  /// Assigns every member of the row, so that the row need not be initialized: zeroing it first costs more than the
  /// rest of the conversion.
  template <class Row, class Value> void fill(Row& row, const Value& value) {
    if constexpr (requires { row.struct_size; }) row.struct_size = sizeof row;
    Fields<Row, Value>::visit(*this, row, value);
  }

  template <class Row, class Value> const Row& row(const Value& value) {
    Row& made = arena_.make_uninitialized<Row>(1).front();
    fill(made, value);
    return made;
  }

  // Arguments of a call.

  static kb_view value(std::string_view text) noexcept { return view_of(text); }
  static std::uint32_t value(std::uint32_t number) noexcept { return number; }
  static std::uint64_t value(std::uint64_t number) noexcept { return number; }
  static std::int32_t value(model::Day day) noexcept { return number_of(day); }
  static std::int64_t value(model::Instant instant) noexcept { return milliseconds_of(instant); }
  static std::uint64_t value(std::chrono::milliseconds duration) noexcept {
    return static_cast<std::uint64_t>(duration.count());
  }
  template <std::size_t kSize> static const std::uint8_t* value(const std::array<std::uint8_t, kSize>& bytes) noexcept {
    return bytes.data();
  }
  template <class Enum, std::size_t kCount>
  static std::int32_t value(Enum value, const std::array<Choice<Enum>, kCount>& choices) noexcept {
    return std::find_if(choices.begin(), choices.end(), [&](const auto& each) { return each.value == value; })->number;
  }
  template <class Value> auto value(const std::optional<Value>& optional) -> const decltype(value(*optional))* {
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
  template <class Row, class Value> std::span<const Row> rows(std::span<const Value> values) {
    const auto made = arena_.make_uninitialized<Row>(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) fill(made[i], element(values[i]));
    return made;
  }
  /// Pointers to structs.
  template <class Row, class Value> std::span<const Row* const> pointers(std::span<const Value> values) {
    const std::span<const Row> rows = this->rows<Row>(values);
    const auto made = arena_.make<const Row*>(rows.size());
    std::transform(rows.begin(), rows.end(), made.begin(), [](const Row& row) { return &row; });
    return made;
  }

  // Members of a struct; `Fields` calls these. Each assigns all that it gets.

  /// Members without a port value.
  void none(auto&... to) noexcept { ((to = {}), ...); }
  /// Members that the row does not have; a row that this class fills has all.
  void absent(const auto&...) noexcept {}
  void id(kb_view& to, std::string_view from) noexcept { to = view_of(from); }
  void name(kb_view& to, std::string_view from) noexcept { to = view_of(from); }
  void bytes(kb_view& to, std::string_view from) noexcept { to = view_of(from); }
  void text(kb_view& to, std::string_view from) noexcept { to = view_of(from); }
  void text(kb_view& to, const std::string& from) noexcept { to = view_of(from); }
  /// Null data: no text.
  void text(kb_view& to, const std::optional<std::string_view>& from) noexcept {
    if (from)
      to = {from->data() != nullptr ? from->data() : "", from->size()};
    else
      to = {};
  }
  void text(kb_view& to, const std::optional<model::Instant>& from);
  void texts(const kb_view*& to, std::size_t& count, model::TextList from) {
    count = from.size();
    to = count != 0 ? texts(from).data() : nullptr;
  }
  /// Null: no list. An empty list has a non-null address.
  void texts(const kb_view*& to, std::size_t& count, const std::optional<model::TextList>& from) {
    texts(to, count, from.value_or(model::TextList()));
    if (from && count == 0) to = arena_.make<kb_view>(1).data();
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
  template <class Value> void flag(std::uint32_t& to, const std::optional<Value>& from) noexcept { to = from ? 1 : 0; }
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
    array(to, from.value_or(std::array<std::uint8_t, kSize>()));
  }
  template <class Enum, std::size_t kCount>
  void choice(std::int32_t& to, Enum from, const std::array<Choice<Enum>, kCount>& choices) noexcept {
    to = value(from, choices);
  }
  template <class Row, class Value> void list(const Row*& to, std::size_t& count, std::span<const Value> from) {
    count = from.size();
    to = count != 0 ? rows<Row>(from).data() : nullptr;
  }
  template <class Row, class Value> void ref(const Row*& to, const Value* from) {
    to = from != nullptr ? &row<Row>(*from) : nullptr;
  }
  void ref(const kb_query_node*& to, const model::QueryNode* from) { to = from != nullptr ? &node(*from) : nullptr; }
  template <class Row, class Value> void optional(const Row*& to, const std::optional<Value>& from) {
    to = value(from);
  }
  void bits(std::uint32_t& to, model::Scopes from) noexcept { to = from; }
  void bits(std::uint32_t& to, const ports::SearchRequest& from) noexcept {
    to = from.highlights ? KB_WANTS_MARKS : 0;
    for (std::size_t i = 0; i < ports::kFacets.size(); ++i)
      if (from.facets.*ports::kFacets[i].is_wanted) to |= kFacetFlags[i];
  }

 private:
  template <class Value> static const Value& element(const Value& value) noexcept { return value; }
  template <class Value> static const Value& element(const Value* value) noexcept { return *value; }
  const kb_query_node& node(const model::QueryNode& node);

  Arena arena_;
};

}  // namespace kbase::sdk
