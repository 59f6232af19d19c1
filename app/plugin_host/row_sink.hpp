// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>

#include "app/plugin_host/call_frame.hpp"
#include "domain/base/function_ref.hpp"
#include "plugins/sdk/translation.hpp"
#include "ports/driven/item_store.hpp"
#include "ports/driven/search_index.hpp"

/// The rules for a row that concern several of its members, or several rows of one call. sdk::FromC checks each member.
namespace kbase::plugin_host {

/// No limit of the number of rows.
inline constexpr std::uint64_t kNoBound = std::numeric_limits<std::uint64_t>::max();

/// The parameters by which a sink receives a row: a pointer to a struct, or the members of a tuple.
template <class Row> struct Parameters {
  template <class Sink> static std::int32_t receive(void* data, const Row* row) noexcept {
    return Sink::receive_row(data, row);
  }
};
template <class... Parts> struct Parameters<std::tuple<Parts...>> {
  template <class Sink> static std::int32_t receive(void* data, Parts... parts) noexcept {
    const std::tuple<Parts...> row(parts...);
    return Sink::receive_row(data, &row);
  }
};

/// A visitor that copies the one row of a call.
template <class Value> struct Copy {
  std::optional<Value> value;

  Visit operator()(const Value& row) {
    value = row;
    return Visit::Continue;
  }
};

/// Returns the violation, or null.
template <class Value> struct RowCheck {
  sdk::Violation operator()(const Value&) const noexcept { return nullptr; }
};

/// Converts the C rows of a sink to port values. A row that is null or too small is a violation; the rest is checked if
/// the frame is validating.
template <class Row, class Value> class RowReader {
 public:
  explicit RowReader(bool is_validating) noexcept : from_c_(is_validating), is_validating_(is_validating) {}

  /// Returns the violation, or null; then value() is the row's, valid until the next read.
  sdk::Violation read(const Row* row) {
    if (row == nullptr) return sdk::FromC::kNoStruct;
    if constexpr (requires { row->struct_size; })
      if (row->struct_size < sdk::Fields<Row, Value>::kSmallest) return sdk::FromC::kNoStruct;
    from_c_.clear().read(*row, value_);
    if (from_c_.violation() != nullptr || !is_validating_) return from_c_.violation();
    return check_(value_);
  }

  const Value& value() const noexcept { return value_; }
  /// Number of bytes of all texts read.
  std::size_t text_bytes() const noexcept { return from_c_.text_bytes(); }

 private:
  sdk::FromC from_c_;
  Value value_{};
  RowCheck<Value> check_;
  const bool is_validating_;
};

/// The sink of a call that passes rows to a visitor: the plugin gets `receive` as the function and the sink as its
/// data. Lives on the stack together with its frame.
template <class Row, class Value> class RowSink {
 public:
  static constexpr auto receive = &Parameters<Row>::template receive<RowSink>;

  template <class Visitor>
  RowSink(CallFrame& frame, Visitor& visitor, std::uint64_t max_rows = kNoBound) noexcept
      : frame_(frame), visitor_(visitor), reader_(frame.is_validating()) {
    frame.attach(*this, max_rows);
  }

  static std::int32_t receive_row(void* data, const Row* row) noexcept {
    RowSink* const self = CallFrame::sink_of<RowSink>(data);
    if (self == nullptr) return CallFrame::kStop;
    return self->frame_.receive([&] { return self->reader_.read(row); },
                                [&] { return self->visitor_(self->reader_.value()); });
  }

 private:
  CallFrame& frame_;
  Visitor<Value> visitor_;
  RowReader<Row, Value> reader_;
};

template <> class RowCheck<ports::Change> {
 public:
  sdk::Violation operator()(const ports::Change& change) noexcept;

 private:
  model::Revision last_ = 0;
};

template <> struct RowCheck<ports::SearchHit> {
  sdk::Violation operator()(const ports::SearchHit& hit) const noexcept;
};

}  // namespace kbase::plugin_host
