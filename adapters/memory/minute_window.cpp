// SPDX-License-Identifier: Apache-2.0
#include "adapters/memory/minute_window.hpp"

#include <chrono>
#include <memory>

namespace kbase::memory {
namespace {

using model::Instant;

constexpr std::int64_t kWindowMs = 60'000;
constexpr std::size_t kAllocatorBytes = 16;
constexpr std::uint32_t kFirstRing = 8;  // charges; who makes a third request within a minute makes more

std::int64_t ms_of(Instant instant) {
  return instant.time_since_epoch().count();
}

std::uint32_t low(std::int64_t ms) {
  return static_cast<std::uint32_t>(ms);
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

void MinuteWindow::settle(Instant now, Budget& budget) {
  if (size_ == 0) return;
  const std::int64_t ms = ms_of(now);
  if (ms < newest_) shift(newest_ - ms);
  if (ms - newest_ >= kWindowMs) return clear(budget);
  while (low(ms) - charge_at(0).at >= kWindowMs) drop_oldest();
}

void MinuteWindow::charge(Instant now, std::uint32_t cost, Budget& budget) {
  const std::int64_t ms = ms_of(now);
  const bool joins = size_ != 0 && (newest_ == ms || (size_ == capacity() && !grow(budget)));
  newest_ = ms;
  used_ += cost;
  if (!joins) {
    ++size_;
    charge_at(size_ - 1).cost = 0;
  }
  charge_at(size_ - 1).at = low(ms);
  charge_at(size_ - 1).cost += cost;
}

Instant MinuteWindow::reset(Instant now) const {
  const std::uint32_t age = size_ == 0 ? 0 : low(ms_of(now)) - charge_at(0).at;
  return now + std::chrono::milliseconds(kWindowMs - age);
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
  static_assert(kFew == 2);
  used_ -= charge_at(0).cost;
  --size_;
  if (has_ring_)
    ++place_.ring.first;
  else
    place_.few[0] = place_.few[1];
}

void MinuteWindow::shift(std::int64_t back_ms) {
  newest_ -= back_ms;
  for (std::uint32_t i = 0; i < size_; ++i) charge_at(i).at -= low(back_ms);
}

/// False: the budget has no room for more charges.
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
