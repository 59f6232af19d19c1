// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "ports/driven/call.hpp"
#include "ports/driven/clock.hpp"

namespace kbase::usecases {

/// Ends a call that makes no progress. A fixed deadline cannot, as it is set before the call. Each sign of progress
/// extends the timeout. Any thread; the constructor's arguments must outlive the object.
class IdleTimeout {
 public:
  using Time = ports::Call::SteadyTime;

  IdleTimeout(const ports::Call& outer, const ports::Clock& clock, Time until)
      : outer_(outer), clock_(clock), until_(until) {}

  void extend_until(Time until) noexcept { until_ = until; }

  bool is_over() const noexcept { return clock_.steady() >= until_.load(); }

  /// Cancellation for the inner call: set when the timeout has expired or the outer call is cancelled.
  ports::CancelSource source() const noexcept {
    return {this, [](const void* state) noexcept {
              const auto& self = *static_cast<const IdleTimeout*>(state);
              return self.outer_.cancelled() || self.is_over();
            }};
  }

 private:
  const ports::Call& outer_;
  const ports::Clock& clock_;
  std::atomic<Time> until_;
};

}  // namespace kbase::usecases
