// SPDX-License-Identifier: Apache-2.0
#include "adapters/memory/account.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>

namespace kbase::memory {
namespace {

using model::Instant;

constexpr std::int64_t kWindowMs = 60'000;
constexpr std::size_t kAllocatorBytes = 16;
constexpr std::uint32_t kMinRingCapacity = 16;  // charges; fills one cache line
constexpr std::uint32_t kMaxChargeCost = std::numeric_limits<std::uint16_t>::max();

std::int64_t to_ms(Instant instant) { return instant.time_since_epoch().count(); }

std::uint16_t low_bits(std::int64_t ms) { return static_cast<std::uint16_t>(ms); }

constexpr std::chrono::hours kMaxDayAhead{1};

std::uint32_t remaining(std::uint32_t limit, std::uint32_t used) { return used < limit ? limit - used : 0; }

bool admits(std::uint32_t limit, std::uint32_t used, std::uint32_t cost) {
  return limit == 0 || cost <= remaining(limit, used);
}

double compute_share_left(std::uint32_t limit, std::uint32_t used) {
  return limit == 0 ? 1.0 : static_cast<double>(remaining(limit, used)) / limit;
}

}  // namespace

MinuteWindow& MinuteWindow::operator=(MinuteWindow&& other) noexcept {
  newest_ = other.newest_;
  used_ = other.used_;
  size_ = other.size_;
  has_ring_ = other.has_ring_;
  storage_ = other.storage_;
  other.used_ = other.size_ = other.has_ring_ = 0;
  return *this;
}

MinuteWindow::~MinuteWindow() {
  if (has_ring_) delete[] storage_.ring.charges;
}

void MinuteWindow::advance(Instant now, Budget& budget) {
  if (size_ == 0) return;
  const std::int64_t ms = to_ms(now);
  if (ms < newest_) shift(newest_ - ms);
  if (ms - newest_ >= kWindowMs) return clear(budget);
  while (age_of_oldest(now) >= kWindowMs) drop_oldest();
}

void MinuteWindow::charge(Instant now, std::uint32_t cost, Budget& budget) {
  const std::int64_t ms = to_ms(now);
  const bool same_millisecond = size_ != 0 && newest_ == ms;
  newest_ = ms;
  used_ += cost;
  if (same_millisecond) cost = join_newest(cost);
  while (cost != 0 && (size_ < capacity() || grow(budget))) {
    charge_at(size_++) = {low_bits(ms), 0};
    cost = join_newest(cost);
  }
  if (cost == 0) return;
  charge_at(size_ - 1).at = low_bits(ms);
  join_newest(cost);
}

/// Adds `cost` to the newest charge up to its maximum. Returns the remaining cost.
std::uint32_t MinuteWindow::join_newest(std::uint32_t cost) {
  Charge& newest = charge_at(size_ - 1);
  const std::uint32_t joined = std::min(cost, kMaxChargeCost - newest.cost);
  newest.cost = static_cast<std::uint16_t>(newest.cost + joined);
  return cost - joined;
}

Instant MinuteWindow::reset(Instant now) const {
  return now + std::chrono::milliseconds(kWindowMs - (size_ == 0 ? 0 : age_of_oldest(now)));
}

std::int64_t MinuteWindow::age_of_oldest(Instant now) const {
  return to_ms(now) - newest_ + static_cast<std::uint16_t>(low_bits(newest_) - charge_at(0).at);
}

void MinuteWindow::clear(Budget& budget) {
  if (has_ring_) {
    budget.release(bytes_of(storage_.ring.capacity));
    delete[] storage_.ring.charges;
  }
  used_ = size_ = has_ring_ = 0;
}

std::size_t MinuteWindow::bytes_of(std::uint32_t capacity) { return capacity * sizeof(Charge) + kAllocatorBytes; }

MinuteWindow::Charge& MinuteWindow::charge_at(std::uint32_t index) {
  if (!has_ring_) return storage_.inline_charges[index];
  const Ring& ring = storage_.ring;
  return ring.charges[(ring.first + index) & (ring.capacity - 1)];
}

void MinuteWindow::drop_oldest() {
  used_ -= charge_at(0).cost;
  --size_;
  if (has_ring_)
    ++storage_.ring.first;
  else
    std::copy(storage_.inline_charges + 1, storage_.inline_charges + kInlineCharges, storage_.inline_charges);
}

void MinuteWindow::shift(std::int64_t back_ms) {
  newest_ -= back_ms;
  for (std::uint32_t i = 0; i < size_; ++i) charge_at(i).at = low_bits(charge_at(i).at - back_ms);
}

/// Returns false if the budget has no memory for a larger ring.
bool MinuteWindow::grow(Budget& budget) {
  const std::uint32_t larger = has_ring_ ? capacity() * 2 : kMinRingCapacity;
  if (!budget.reserve(bytes_of(larger))) return false;
  auto charges = std::make_unique<Charge[]>(larger);
  for (std::uint32_t i = 0; i < size_; ++i) charges[i] = charge_at(i);
  if (has_ring_) {
    budget.release(bytes_of(storage_.ring.capacity));
    delete[] storage_.ring.charges;
  }
  storage_.ring = {charges.release(), 0, larger};
  has_ring_ = 1;
  return true;
}

void DayWindow::advance(Instant now) {
  const auto today = static_cast<std::int32_t>(model::day_of(now).time_since_epoch().count());
  if (day_ < today) used_ = 0;
  if (used_ == 0 || begin() - now > kMaxDayAhead) day_ = today;
}

Instant DayWindow::begin() const { return model::Day(std::chrono::days(day_)); }

void DayWindow::correct(Instant end, std::int64_t more) {
  if (reset() != end) return;
  constexpr std::int64_t kMax = std::numeric_limits<std::uint32_t>::max();
  used_ = static_cast<std::uint32_t>(std::clamp<std::int64_t>(used_ + more, 0, kMax));
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

double Account::share_left() const {
  return std::min(compute_share_left(limits_.per_minute, minute_.used()),
                  compute_share_left(limits_.per_day, day_.used()));
}

}  // namespace kbase::memory
