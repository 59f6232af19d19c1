// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>

#include "domain/model/error.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/clock.hpp"

namespace kbase::redis {

/// How long a call may wait. Sockets wait by the machine's clock, so the call's deadline, which is one by ports::Clock,
/// is turned into one of these once, when the call begins.
class Timeout {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// `call` outlives this.
  Timeout(const ports::Call& call, const ports::Clock& clock);

  /// Cancelled or Deadline where the call has to end.
  std::optional<model::Error> exhausted() const;

  /// Until when to wait for an event before looking at the call again: a cancellation wakes nobody.
  Time next_look() const;

 private:
  const ports::Call& call_;
  Time until_;
};

}  // namespace kbase::redis
