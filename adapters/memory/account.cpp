// SPDX-License-Identifier: Apache-2.0
#include "adapters/memory/account.hpp"

#include <algorithm>
#include <chrono>

namespace kbase::memory {
namespace {

using model::Instant;

constexpr std::chrono::hours kKeptAhead{1};

std::uint32_t remaining(std::uint32_t limit, std::uint32_t used) {
  return used < limit ? limit - used : 0;
}

bool admits(std::uint32_t limit, std::uint32_t used, std::uint32_t cost) {
  return limit == 0 || cost <= remaining(limit, used);
}

double share_left(std::uint32_t limit, std::uint32_t used) {
  return limit == 0 ? 1.0 : static_cast<double>(remaining(limit, used)) / limit;
}

}  // namespace

void DayWindow::advance(Instant now) {
  const auto today = static_cast<std::int32_t>(model::day_of(now).time_since_epoch().count());
  if (day_ < today) used_ = 0;
  if (used_ == 0 || begin() - now > kKeptAhead) day_ = today;
}

Instant DayWindow::begin() const {
  return model::Day(std::chrono::days(day_));
}

void DayWindow::correct(Instant end, std::int64_t more) {
  if (reset() != end) return;
  constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
  used_ = static_cast<std::uint32_t>(std::clamp<std::int64_t>(used_ + more, 0, kMost));
}

ports::Decision Account::acquire(Instant now, model::Limits limits, std::uint32_t cost, Budget& budget) {
  if (cost != 0) limits_ = limits;  // a peek must not influence which account is evicted
  minute_.advance(now, budget);
  day_.advance(now);
  ports::Decision decision;
  decision.allowed = admits(limits.per_minute, minute_.used(), cost) && admits(limits.per_day, day_.used(), cost);
  if (decision.allowed && cost != 0) {
    if (limits.per_minute != 0) minute_.charge(now, cost, budget);
    if (limits.per_day != 0) day_.charge(cost);
  }
  decision.minute = {remaining(limits.per_minute, minute_.used()), minute_.reset(now)};
  decision.day = {remaining(limits.per_day, day_.used()), day_.reset()};
  return decision;
}

bool Account::is_idle(Instant now, Budget& budget) {
  minute_.advance(now, budget);
  day_.advance(now);
  return minute_.used() == 0 && day_.used() == 0;
}

double Account::left() const {
  return std::min(share_left(limits_.per_minute, minute_.used()), share_left(limits_.per_day, day_.used()));
}

}  // namespace kbase::memory
