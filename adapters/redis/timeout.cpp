// SPDX-License-Identifier: Apache-2.0
#include "adapters/redis/timeout.hpp"

#include <algorithm>

namespace kbase::redis {
namespace {

using Steady = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPollInterval{10};
constexpr std::chrono::hours kMaxDuration{24};  // longer deadlines count as none, to avoid an overflow

Steady::time_point compute_deadline(const ports::Call& call, const ports::Clock& clock) {
  if (call.deadline == ports::Call::SteadyTime::max()) return Steady::time_point::max();
  const auto left = call.deadline - clock.steady();
  return left < kMaxDuration ? Steady::now() + left : Steady::time_point::max();
}

}  // namespace

Timeout::Timeout(const ports::Call& call, const ports::Clock& clock)
    : call_(call), until_(compute_deadline(call, clock)) {}

std::optional<model::Error> Timeout::exhausted() const {
  if (call_.cancelled()) return model::Error{model::ErrorCode::Cancelled, "the request was cancelled", {}, {}, {}};
  if (Steady::now() >= until_)
    return model::Error{model::ErrorCode::Deadline, "Redis did not respond in time", {}, {}, {}};
  return std::nullopt;
}

Timeout::Time Timeout::next_check() const {
  return std::min(until_, Steady::now() + kPollInterval);
}

}  // namespace kbase::redis
