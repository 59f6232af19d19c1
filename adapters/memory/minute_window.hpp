// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "adapters/memory/budget.hpp"
#include "domain/model/plan.hpp"

namespace kbase::memory {

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

  /// Returns when the oldest counted request expires, or one minute after `now` if there is none.
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
  static constexpr std::uint32_t kFew = sizeof(Ring) / sizeof(Charge);

  static std::size_t bytes_of(std::uint32_t capacity);
  std::uint32_t capacity() const { return has_ring_ ? place_.ring.capacity : kFew; }
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
    Charge few[kFew];
    Ring ring;
  } place_{};
};

}  // namespace kbase::memory
