// SPDX-License-Identifier: Apache-2.0
#include "adapters/memory/subject_windows.hpp"

#include <algorithm>
#include <chrono>

namespace kbase::memory {
namespace {

using model::Instant;

constexpr std::int64_t kWindowMs = 60'000;

std::int64_t ms_of(Instant instant) {
  return instant.time_since_epoch().count();
}

std::uint32_t low(std::int64_t ms) {
  return static_cast<std::uint32_t>(ms);
}

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

void MinuteWindow::settle(Instant now) {
  if (size_ == 0) return;
  const std::int64_t ms = ms_of(now);
  if (ms < newest_) shift(newest_ - ms);
  if (ms - newest_ >= kWindowMs) return clear();
  while (low(ms) - charge_at(0).at >= kWindowMs) {
    used_ -= charge_at(0).cost;
    ++first_;
    --size_;
  }
}

void MinuteWindow::charge(Instant now, std::uint32_t cost) {
  const std::int64_t ms = ms_of(now);
  used_ += cost;
  if (size_ != 0 && newest_ == ms) {
    charge_at(size_ - 1).cost += cost;
    return;
  }
  newest_ = ms;
  if (size_ == capacity_) grow();
  ++size_;
  charge_at(size_ - 1) = {low(ms), cost};
}

Instant MinuteWindow::reset(Instant now) const {
  const std::uint32_t age = size_ == 0 ? 0 : low(ms_of(now)) - charge_at(0).at;
  return now + std::chrono::milliseconds(kWindowMs - age);
}

void MinuteWindow::shift(std::int64_t back_ms) {
  newest_ -= back_ms;
  for (std::uint32_t i = 0; i < size_; ++i) charge_at(i).at -= low(back_ms);
}

void MinuteWindow::grow() {
  const std::uint32_t capacity = std::max(1U, capacity_ * 2);
  std::unique_ptr<Charge[]> ring(new Charge[capacity]);  // NOLINT: see ring_
  for (std::uint32_t i = 0; i < size_; ++i) ring[i] = charge_at(i);
  ring_ = std::move(ring);
  capacity_ = capacity;
  first_ = 0;
}

void MinuteWindow::clear() {
  ring_.reset();
  capacity_ = first_ = size_ = used_ = 0;
}

void DayWindow::settle(Instant now) {
  const auto today = static_cast<std::int32_t>(model::day_of(now).time_since_epoch().count());
  if (day_ < today) used_ = 0;
  if (used_ == 0 || day_ > today + 1) day_ = today;
}

Instant DayWindow::reset() const {
  return model::Day(std::chrono::days(day_ + 1));
}

ports::Taken SubjectWindows::take(Instant now, model::Limits limits, std::uint32_t cost) {
  limits_ = limits;
  minute_.settle(now);
  day_.settle(now);
  ports::Taken taken;
  taken.allowed = admits(limits.per_minute, minute_.used(), cost) && admits(limits.per_day, day_.used(), cost);
  if (taken.allowed && cost != 0) {
    if (limits.per_minute != 0) minute_.charge(now, cost);
    if (limits.per_day != 0) day_.charge(cost);
  }
  taken.minute = {remaining(limits.per_minute, minute_.used()), minute_.reset(now)};
  taken.day = {remaining(limits.per_day, day_.used()), day_.reset()};
  return taken;
}

bool SubjectWindows::is_idle(Instant now) {
  minute_.settle(now);
  day_.settle(now);
  return minute_.used() == 0 && day_.used() == 0;
}

double SubjectWindows::left() const {
  return std::min(share_left(limits_.per_minute, minute_.used()), share_left(limits_.per_day, day_.used()));
}

}  // namespace kbase::memory
