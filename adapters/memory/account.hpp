// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "domain/model/api_key.hpp"
#include "ports/driven/rate_limit_store.hpp"

namespace kbase::memory {

/// Limit on memory use, in bytes. Not thread-safe.
class Budget {
 public:
  explicit Budget(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  /// Returns false and reserves nothing if fewer than `bytes` are left.
  bool reserve(std::size_t bytes) {
    if (!has(bytes)) return false;
    held_bytes_ += bytes;
    return true;
  }
  void release(std::size_t bytes) { held_bytes_ -= bytes; }

  bool has(std::size_t bytes) const { return bytes <= max_bytes_ - held_bytes_; }
  std::size_t held_bytes() const { return held_bytes_; }

 private:
  std::size_t max_bytes_;
  std::size_t held_bytes_ = 0;
};

/// Exact sliding window over the requests of the last 60 seconds: the cost per millisecond, oldest first. Not
/// thread-safe.
///
/// Four charges are stored inline, so that a client with few requests needs no allocation. More charges go to a ring
/// buffer on the heap until the window is empty. A charge counts up to 65,535 requests; a higher count in one
/// millisecond uses several charges.
///
/// If the budget has no memory for a larger ring, a new charge is merged into the newest one and both expire at the
/// later time. Requests beyond the maximum of a charge are added to `used` and expire together with the last charge.
/// The window then admits fewer requests than the limit, never more.
///
/// If the clock steps back, all charges are shifted with it: every request keeps its age, so that none expires early or
/// stays for more than 60 seconds.
///
/// Pass the same budget to every call; it must outlive the window.
class MinuteWindow {
 public:
  MinuteWindow() = default;
  MinuteWindow(MinuteWindow&& other) noexcept { *this = static_cast<MinuteWindow&&>(other); }
  MinuteWindow& operator=(MinuteWindow&& other) noexcept;  ///< the target must be empty
  ~MinuteWindow();

  /// Expires requests that no longer count at `now`. Call it before the functions below, with the same `now`.
  void advance(model::Instant now, Budget& budget);

  std::uint32_t used() const { return used_; }
  void charge(model::Instant now, std::uint32_t cost, Budget& budget);

  /// Returns when the oldest counted request expires, or one minute after `now` if no request is counted.
  model::Instant reset(model::Instant now) const;

  /// Removes all charges and releases the ring.
  void clear(Budget& budget);

 private:
  struct Charge {
    std::uint16_t at;  // low 16 bits of the millisecond, at most 60,000 ms before newest_
    std::uint16_t cost;
  };
  struct Ring {
    Charge* charges;
    std::uint32_t first;
    std::uint32_t capacity;  // a power of two
  };
  static constexpr std::uint32_t kInlineCharges = sizeof(Ring) / sizeof(Charge);

  static std::size_t bytes_of(std::uint32_t capacity);
  std::uint32_t capacity() const { return has_ring_ ? storage_.ring.capacity : kInlineCharges; }
  Charge& charge_at(std::uint32_t index);
  const Charge& charge_at(std::uint32_t index) const { return const_cast<MinuteWindow*>(this)->charge_at(index); }
  std::int64_t age_of_oldest(model::Instant now) const;
  std::uint32_t join_newest(std::uint32_t cost);
  void drop_oldest();
  void shift(std::int64_t back_ms);
  bool grow(Budget& budget);

  std::int64_t newest_ = 0;  // millisecond of the last charge
  std::uint32_t used_ = 0;   // sum of all costs
  std::uint32_t size_ : 31 = 0;
  std::uint32_t has_ring_ : 1 = 0;
  union {
    Charge inline_charges[kInlineCharges];
    Ring ring;
  } storage_{};
};

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
  double share_left() const;

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
