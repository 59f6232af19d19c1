// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include "adapters/memory/budget.hpp"
#include "adapters/memory/minute_window.hpp"
#include "domain/model/plan.hpp"
#include "ports/driven/rate_limit_store.hpp"

namespace kbase::memory {

/// The requests of a UTC day. A clock that steps back over midnight stays in the newer day where that begins again
/// within an hour, so that the day admits its limit once. A day further ahead was a clock's mistake that was put right:
/// what was charged in it counts as charged today, and nobody is refused for it on the day itself.
class DayWindow {
 public:
  void advance(model::Instant now);
  std::uint32_t used() const { return used_; }
  void charge(std::uint32_t cost) { used_ += cost; }
  model::Instant reset() const { return model::next_midnight(begin()); }

  /// Counts so many more (negative: fewer), where this is still the day that ends then.
  void correct(model::Instant end, std::int64_t more);

 private:
  model::Instant begin() const;

  std::int32_t day_ = std::numeric_limits<std::int32_t>::min();  // days since 1970
  std::uint32_t used_ = 0;
};

/// What is counted for one subject: both its windows. Made for a million of them, each a line of the processor's cache.
/// The budget is the same in every call and outlives the account. One thread at a time.
class alignas(64) Account {
 public:
  Account() = default;
  explicit Account(const model::ClientId& client_id) : client_id_(client_id) {}

  const model::ClientId& client_id() const { return client_id_; }

  /// Charges `cost` to both windows or to neither. A window without a limit counts nothing.
  ports::Decision acquire(model::Instant now, model::Limits limits, std::uint32_t cost, Budget& budget);

  /// Counts so many more (negative: fewer) in the day that ends then; where that is over, nothing changes.
  void correct(model::Instant end, std::int64_t more) { day_.correct(end, more); }

  /// Whether nothing is counted at `now`, so that forgetting the account loses nothing.
  bool is_idle(model::Instant now, Budget& budget);

  /// The part of its limits the subject has left, from 0 to 1, in the window that has less, as of the last call.
  double left() const;

  /// Gives back what it holds of the budget. Nothing is counted any more.
  void close(Budget& budget) { minute_.clear(budget); }

 private:
  model::ClientId client_id_{};
  MinuteWindow minute_;
  DayWindow day_;
  model::Limits limits_;  // of the last take that was more than a look
};

static_assert(sizeof(Account) == 64);

}  // namespace kbase::memory
