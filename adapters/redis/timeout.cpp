// SPDX-License-Identifier: Apache-2.0
#include "adapters/redis/timeout.hpp"

#include "adapters/base/waiting.hpp"

namespace kbase::redis {
namespace {

waiting::Time compute_deadline(const ports::Call& call, const ports::Clock& clock) {
  if (call.deadline == ports::Call::SteadyTime::max()) return waiting::Time::max();
  return waiting::after(call.deadline - clock.steady());
}

}  // namespace

Timeout::Timeout(const ports::Call& call, const ports::Clock& clock)
    : call_(call), until_(compute_deadline(call, clock)) {}

std::optional<Error> Timeout::exhausted() const {
  if (call_.cancelled()) return Error{ErrorCode::Cancelled, "the request was cancelled"};
  if (waiting::now() >= until_) return Error{ErrorCode::Deadline, "Redis did not respond in time"};
  return std::nullopt;
}

Timeout::Time Timeout::next_check() const { return waiting::next_check(until_); }

}  // namespace kbase::redis
