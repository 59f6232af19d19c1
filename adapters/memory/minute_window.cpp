// SPDX-License-Identifier: Apache-2.0
#include "adapters/memory/minute_window.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>

namespace kbase::memory {
namespace {

using model::Instant;

constexpr std::int64_t kWindowMs = 60'000;
constexpr std::size_t kAllocatorBytes = 16;
constexpr std::uint32_t kFirstRing = 16;  // charges; fills one cache line
constexpr std::uint32_t kMostOfACharge = std::numeric_limits<std::uint16_t>::max();

std::int64_t ms_of(Instant instant) {
  return instant.time_since_epoch().count();
}

std::uint16_t low(std::int64_t ms) {
  return static_cast<std::uint16_t>(ms);
}

}  // namespace

MinuteWindow& MinuteWindow::operator=(MinuteWindow&& other) noexcept {
  newest_ = other.newest_;
  used_ = other.used_;
  size_ = other.size_;
  has_ring_ = other.has_ring_;
  place_ = other.place_;
  other.used_ = other.size_ = other.has_ring_ = 0;
  return *this;
}

MinuteWindow::~MinuteWindow() {
  if (has_ring_) delete[] place_.ring.charges;
}

void MinuteWindow::advance(Instant now, Budget& budget) {
  if (size_ == 0) return;
  const std::int64_t ms = ms_of(now);
  if (ms < newest_) shift(newest_ - ms);
  if (ms - newest_ >= kWindowMs) return clear(budget);
  while (age_of_oldest(now) >= kWindowMs) drop_oldest();
}

void MinuteWindow::charge(Instant now, std::uint32_t cost, Budget& budget) {
  const std::int64_t ms = ms_of(now);
  const bool same_millisecond = size_ != 0 && newest_ == ms;
  newest_ = ms;
  used_ += cost;
  if (same_millisecond) cost = join_newest(cost);
  while (cost != 0 && (size_ < capacity() || grow(budget))) {
    charge_at(size_++) = {low(ms), 0};
    cost = join_newest(cost);
  }
  if (cost == 0) return;
  charge_at(size_ - 1).at = low(ms);
  join_newest(cost);
}

/// Adds `cost` to the newest charge up to its maximum. Returns the remaining cost.
std::uint32_t MinuteWindow::join_newest(std::uint32_t cost) {
  Charge& newest = charge_at(size_ - 1);
  const std::uint32_t joined = std::min(cost, kMostOfACharge - newest.cost);
  newest.cost = static_cast<std::uint16_t>(newest.cost + joined);
  return cost - joined;
}

Instant MinuteWindow::reset(Instant now) const {
  return now + std::chrono::milliseconds(kWindowMs - (size_ == 0 ? 0 : age_of_oldest(now)));
}

std::int64_t MinuteWindow::age_of_oldest(Instant now) const {
  return ms_of(now) - newest_ + static_cast<std::uint16_t>(low(newest_) - charge_at(0).at);
}

void MinuteWindow::clear(Budget& budget) {
  if (has_ring_) {
    budget.release(bytes_of(place_.ring.capacity));
    delete[] place_.ring.charges;
  }
  used_ = size_ = has_ring_ = 0;
}

std::size_t MinuteWindow::bytes_of(std::uint32_t capacity) {
  return capacity * sizeof(Charge) + kAllocatorBytes;
}

MinuteWindow::Charge& MinuteWindow::charge_at(std::uint32_t index) {
  if (!has_ring_) return place_.few[index];
  const Ring& ring = place_.ring;
  return ring.charges[(ring.first + index) & (ring.capacity - 1)];
}

void MinuteWindow::drop_oldest() {
  used_ -= charge_at(0).cost;
  --size_;
  if (has_ring_)
    ++place_.ring.first;
  else
    std::copy(place_.few + 1, place_.few + kFew, place_.few);
}

void MinuteWindow::shift(std::int64_t back_ms) {
  newest_ -= back_ms;
  for (std::uint32_t i = 0; i < size_; ++i) charge_at(i).at = low(charge_at(i).at - back_ms);
}

/// Returns false if the budget has no memory for a larger ring.
bool MinuteWindow::grow(Budget& budget) {
  const std::uint32_t larger = has_ring_ ? capacity() * 2 : kFirstRing;
  if (!budget.reserve(bytes_of(larger))) return false;
  auto charges = std::make_unique<Charge[]>(larger);
  for (std::uint32_t i = 0; i < size_; ++i) charges[i] = charge_at(i);
  if (has_ring_) {
    budget.release(bytes_of(place_.ring.capacity));
    delete[] place_.ring.charges;
  }
  place_.ring = {charges.release(), 0, larger};
  has_ring_ = 1;
  return true;
}

}  // namespace kbase::memory
