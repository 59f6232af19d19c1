// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include "adapters/memory/budget.hpp"
#include "adapters/memory/minute_window.hpp"
#include "domain/model/plan.hpp"
#include "ports/driven/rate_limit_store.hpp"

namespace kbase::memory {

/// Request count of a UTC day. If the clock steps back over midnight, the newer day is kept if it starts within the
/// next hour, so that the day admits its limit only once. A day further ahead is treated as a clock error that was
/// corrected: its charges count for today, and not for that day itself.
class DayWindow {
 public:
  void advance(model::Instant now);
  std::uint32_t used() const { return used_; }
  void charge(std::uint32_t cost) { used_ += cost; }
  model::Instant reset() const { return model::next_midnight(begin()); }

  /// Adds `more` (may be negative) to the count if the current day ends at `end`; otherwise does nothing.
  void correct(model::Instant end, std::int64_t more);

 private:
  model::Instant begin() const;

  std::int32_t day_ = std::numeric_limits<std::int32_t>::min();  // days since 1970
  std::uint32_t used_ = 0;
};

/// Rate-limit account of one client, with both windows. Sized to one cache line, because a process holds up to a
/// million of them. Pass the same budget to every call; it must outlive the account. Not thread-safe.
class alignas(64) Account {
 public:
  Account() = default;
  explicit Account(const model::ClientId& client_id) : client_id_(client_id) {}

  const model::ClientId& client_id() const { return client_id_; }

  /// Charges `cost` to both windows or to neither. A window without a limit is not counted.
  ports::Decision acquire(model::Instant now, model::Limits limits, std::uint32_t cost, Budget& budget);

  /// Adds `more` (may be negative) to the day that ends at `end`. Does nothing if that day is over.
  void correct(model::Instant end, std::int64_t more) { day_.correct(end, more); }

  /// Returns whether both windows are empty at `now`, so that evicting the account loses nothing.
  bool is_idle(model::Instant now, Budget& budget);

  /// Returns the remaining share of the limits, from 0 to 1, in the window with less left, as of the last call.
  double left() const;

  /// Clears the minute window and releases its memory to the budget.
  void close(Budget& budget) { minute_.clear(budget); }

 private:
  model::ClientId client_id_{};
  MinuteWindow minute_;
  DayWindow day_;
  model::Limits limits_;  // limits of the last charge; peeks do not set them
};

static_assert(sizeof(Account) == 64);

}  // namespace kbase::memory
