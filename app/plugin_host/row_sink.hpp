// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>

#include "app/plugin_host/call_frame.hpp"
#include "app/plugin_host/row_checks.hpp"
#include "domain/base/function_ref.hpp"
#include "plugins/sdk/translation.hpp"

namespace kbase::plugin_host {

/// No limit of the number of rows.
inline constexpr std::uint64_t kNoBound = std::numeric_limits<std::uint64_t>::max();

/// Converts the C rows of a sink to port values. A row that is null or too small is a violation; the rest is checked if
/// the frame is validating.
template <class Row, class Value>
class RowReader {
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

/// The parameters by which a sink receives a row: a pointer to a struct, or the members of a tuple.
template <class Row>
struct Parameters {
  template <class Sink>
  static std::int32_t receive(void* data, const Row* row) noexcept {
    return Sink::receive_row(data, row);
  }
};
template <class... Parts>
struct Parameters<std::tuple<Parts...>> {
  template <class Sink>
  static std::int32_t receive(void* data, Parts... parts) noexcept {
    const std::tuple<Parts...> row(parts...);
    return Sink::receive_row(data, &row);
  }
};

/// The sink of a call that passes rows to a visitor: the plugin gets `receive` as the function and the sink as its
/// data. Lives on the stack together with its frame.
template <class Row, class Value>
class RowSink {
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

/// A visitor that copies the one row of a call.
template <class Value>
struct Copy {
  std::optional<Value> value;

  Visit operator()(const Value& row) {
    value = row;
    return Visit::Continue;
  }
};

}  // namespace kbase::plugin_host
