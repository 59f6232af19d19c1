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

  template <class Row, class Value> [[gnu::always_inline]] inline void read(const Row& row, Value& value) {
    Fields<Row, Value>::visit(*this, row, value);
  }
  template <class Value, class Row> Value row(const Row& row) {
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
  template <std::size_t kSize> static std::array<std::uint8_t, kSize> array(const std::uint8_t* bytes) noexcept {
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
  template <class Value, class Row> std::span<const Value> rows(const Row* rows, std::size_t count) {
    const auto made = arena_.make<Value>(count);
    for (std::size_t i = 0; i < count; ++i) read(rows[i], made[i]);
    return made;
  }
  template <class Value, class Row> std::span<const Value> rows(const Row* const* rows, std::size_t count) {
    const auto made = arena_.make<Value>(count);
    for (std::size_t i = 0; i < count; ++i) read(*rows[i], made[i]);
    return made;
  }
  template <class Value, class Row> std::span<const Value* const> pointers(const Row* const* rows, std::size_t count) {
    const std::span<const Value> values = this->rows<Value>(rows, count);
    const auto made = arena_.make<const Value*>(count);
    std::transform(values.begin(), values.end(), made.begin(), [](const Value& value) { return &value; });
    return made;
  }

  // Members of a struct; `Fields` calls these.

  /// Members without a port value.
  void none(const auto&...) noexcept {}
  /// Members that the row of an earlier header does not have.
  void absent(auto&... to) noexcept { ((to = {}), ...); }
  void id(kb_view from, auto& to) {
    if (is_validating_ && !check_id(from)) [[unlikely]]
      return;
    to = text_of(from);
  }
  /// A text that is not empty.
  void name(kb_view from, auto& to) {
    if (is_validating_ && from.size == 0) fail("passed an empty name");
    text(from, to);
  }
  /// At most 16 MiB.
  void bytes(kb_view from, std::string_view& to) {
    if (is_validating_ && !check_bytes(from)) [[unlikely]]
      return;
    to = text_of(from);
  }
  void text(kb_view from, auto& to) {
    if (is_validating_ && !check_text(from)) [[unlikely]]
      return;
    to = text_of(from);
  }
  void text(kb_view from, std::optional<std::string_view>& to) {
    to.reset();
    if (from.data != nullptr || from.size != 0) text(from, to.emplace());
  }
  void text(kb_view from, std::optional<model::Instant>& to);
  void texts(const kb_view* from, std::size_t count, model::TextList& to) {
    if (is_validating_ && !check_list(from, count)) [[unlikely]]
      return;
    to = count != 0 ? texts(from, count) : model::TextList();
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
  template <class Value> void flag(std::uint32_t from, std::optional<Value>& to) noexcept {
    if (from == 0)
      to.reset();
    else if (!to)
      to.emplace();
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
    if (known != choices.end())
      to = known->value;
    else if (kUnknownChoice<Enum>)
      to = *kUnknownChoice<Enum>;
    else
      fail("passed a number that the enumeration does not have");
  }
  template <class Row, class Value> void list(const Row* from, std::size_t count, std::span<const Value>& to) {
    if (is_validating_ && !check_size(from, count)) [[unlikely]]
      return;
    to = count != 0 ? rows<Value>(from, count) : std::span<const Value>();
  }
  template <class Row, class Value> void ref(const Row* from, const Value*& to) {
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
  /// Leaves out scopes that a newer header has.
  void bits(std::uint32_t from, model::Scopes& to) noexcept { to = from & model::kKnownScopes; }
  void bits(std::uint32_t from, ports::SearchRequest& to) noexcept {
    to.highlights = (from & KB_WANTS_MARKS) != 0;
    for (std::size_t i = 0; i < ports::kFacets.size(); ++i)
      to.facets.*ports::kFacets[i].is_wanted = (from & kFacetFlags[i]) != 0;
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
