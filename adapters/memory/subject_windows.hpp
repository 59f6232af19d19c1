// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <memory>

#include "domain/model/plan.hpp"
#include "ports/driven/rate_limit_store.hpp"

namespace kbase::memory {

/// The requests of the last 60 seconds, exactly: a ring of what was charged in which millisecond. Made for a million
/// of them: 32 bytes, and no allocation while nothing is counted.
///
/// A clock that steps back takes the window along: every request keeps its age, so none leaves early nor stays for
/// longer than 60 seconds.
class MinuteWindow {
 public:
  /// Lets requests leave that do not count at `now`. Call it before anything below, with the same `now`.
  void settle(model::Instant now);

  std::uint32_t used() const { return used_; }
  void charge(model::Instant now, std::uint32_t cost);

  /// When the oldest counted request leaves; a minute from now where there is none.
  model::Instant reset(model::Instant now) const;

 private:
  struct Charge {
    std::uint32_t at;  // the low 32 bits of the millisecond: all charges lie within 60 s before newest_
    std::uint32_t cost;
  };
  Charge& charge_at(std::uint32_t index) const { return ring_[(first_ + index) & (capacity_ - 1)]; }
  void shift(std::int64_t back_ms);
  void grow();
  void clear();

  std::unique_ptr<Charge[]> ring_;  // NOLINT: a vector would be 8 bytes larger
  std::uint32_t capacity_ = 0;      // a power of two, or 0
  std::uint32_t first_ = 0;
  std::uint32_t size_ = 0;
  std::uint32_t used_ = 0;   // the sum of all costs
  std::int64_t newest_ = 0;  // the millisecond of the last charge
};

/// The requests of a UTC day. A clock that steps back to the day before stays in the newer day, so that one admits its
/// limit once; a day that lies further ahead is taken back to now with its count.
class DayWindow {
 public:
  void settle(model::Instant now);
  std::uint32_t used() const { return used_; }
  void charge(std::uint32_t cost) { used_ += cost; }
  model::Instant reset() const;

 private:
  std::int32_t day_ = std::numeric_limits<std::int32_t>::min();  // days since 1970
  std::uint32_t used_ = 0;
};

/// Both windows of one subject. Not thread-safe.
class SubjectWindows {
 public:
  /// Charges `cost` to both windows or to neither. A window without a limit counts nothing.
  ports::Taken take(model::Instant now, model::Limits limits, std::uint32_t cost);

  /// Whether nothing is counted at `now`, so that forgetting the subject loses nothing.
  bool is_idle(model::Instant now);

  /// The part of its limits the subject has left, from 0 to 1, in the window that has less, as of the last call.
  double left() const;

 private:
  MinuteWindow minute_;
  DayWindow day_;
  model::Limits limits_;  // of the last take
};

}  // namespace kbase::memory
