// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>

#include "domain/model/error.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/clock.hpp"

namespace kbase::redis {

/// Timeout of a call. Sockets wait by the machine's clock, so the deadline of the call, which is measured by
/// ports::Clock, is converted once, when the call begins.
class Timeout {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// `call` must outlive this object.
  Timeout(const ports::Call& call, const ports::Clock& clock);

  /// Returns Cancelled or Deadline if the call was cancelled or is past its deadline.
  std::optional<model::Error> exhausted() const;

  /// Returns the end of the next wait for an event; after it, check exhausted() again, because a cancellation wakes no
  /// thread.
  Time next_look() const;

 private:
  const ports::Call& call_;
  Time until_;
};

}  // namespace kbase::redis
