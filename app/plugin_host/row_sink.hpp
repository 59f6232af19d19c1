// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include "app/plugin_host/call_frame.hpp"
#include "app/plugin_host/lent_rows.hpp"
#include "domain/model/function_ref.hpp"

namespace kbase::plugin_host {

/// The sink of a call that passes rows to a visitor: the plugin gets `receive` as the function and the sink as its
/// data. `Lent` are the C parameters of a row. Lives on the stack together with its frame.
template <class Reader, class Row, class... Lent>
class RowSink {
 public:
  static constexpr std::uint64_t kNoBound = std::numeric_limits<std::uint64_t>::max();

  RowSink(CallFrame& frame, model::Visitor<Row> visitor, std::uint64_t most_rows = kNoBound) noexcept
      : frame_(frame), visitor_(visitor) {
    frame.attach(*this, most_rows);
  }

  static std::int32_t receive(void* data, Lent... lent) noexcept {
    RowSink* const self = CallFrame::sink_of<RowSink>(data);
    if (self == nullptr) return CallFrame::kStop;
    return self->frame_.take_row(self->reader_, self->row_, self->visitor_, lent...);
  }

 private:
  CallFrame& frame_;
  model::Visitor<Row> visitor_;
  Reader reader_;
  typename Reader::Row row_;
};

}  // namespace kbase::plugin_host
