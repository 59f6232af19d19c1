// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "adapters/memory/budget.hpp"
#include "domain/model/plan.hpp"

namespace kbase::memory {

/// The requests of the last 60 seconds, exactly: what was charged in which millisecond, oldest first. Four charges have
/// their place here, so that a quiet client costs no allocation; more go to a ring on the heap until the window is
/// empty. A charge counts up to 65,535 requests; more in one millisecond are several charges.
///
/// Where the budget has nothing left for a larger ring, a charge joins the newest one and both leave when the later of
/// them would, and what is more than a charge counts leaves with the last: the window then admits less than it might,
/// never more.
///
/// A clock that steps back takes the window along: every request keeps its age, so none leaves early nor stays for
/// longer than 60 seconds.
///
/// The budget is the same in every call and outlives the window. One thread at a time.
class MinuteWindow {
 public:
  MinuteWindow() = default;
  MinuteWindow(MinuteWindow&& other) noexcept { *this = static_cast<MinuteWindow&&>(other); }
  MinuteWindow& operator=(MinuteWindow&& other) noexcept;  ///< onto an empty one
  ~MinuteWindow();

  /// Lets requests leave that do not count at `now`. Call it before anything below, with the same `now`.
  void advance(model::Instant now, Budget& budget);

  std::uint32_t used() const { return used_; }
  void charge(model::Instant now, std::uint32_t cost, Budget& budget);

  /// When the oldest counted request leaves; a minute from now where there is none.
  model::Instant reset(model::Instant now) const;

  /// Nothing is counted any more, and the ring is given back.
  void clear(Budget& budget);

 private:
  struct Charge {
    std::uint16_t at;  // the low 16 bits of the millisecond: every charge lies at most 60,000 before newest_
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

  std::int64_t newest_ = 0;  // the millisecond of the last charge
  std::uint32_t used_ = 0;   // the sum of all costs
  std::uint32_t size_ : 31 = 0;
  std::uint32_t has_ring_ : 1 = 0;
  union {
    Charge few[kFew];
    Ring ring;
  } place_{};
};

}  // namespace kbase::memory
