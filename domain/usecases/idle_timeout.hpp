// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "ports/driven/call.hpp"
#include "ports/driven/clock.hpp"

namespace kbase::usecases {

/// Ends a call that has gone on well and then falls silent, which no deadline can: that of a call is set before it.
/// Whoever hears from the other side says until when to hear again. Any thread may ask; what it is made of outlives it.
class IdleTimeout {
 public:
  using Time = ports::Call::SteadyTime;

  IdleTimeout(const ports::Call& outer, const ports::Clock& clock, Time until)
      : outer_(outer), clock_(clock), until_(until) {}

  void extend_until(Time until) noexcept { until_ = until; }

  bool is_over() const noexcept { return clock_.steady() >= until_.load(); }

  /// For the call that is to end then, or when nobody wants the outer one's answer any more.
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
