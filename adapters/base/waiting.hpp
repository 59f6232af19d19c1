// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "ports/driven/call.hpp"

/// Waits for the operating system, which measures time by its own clock: condition variables, sockets, libcurl. How
/// long a wait may last comes from ports::Clock; nothing else may use this time.
namespace kbase::waiting {

using Time = std::chrono::steady_clock::time_point;

inline Time now() noexcept { return std::chrono::steady_clock::now(); }

/// Returns the time after `length`; a length of more than a day counts as endless.
inline Time after(std::chrono::nanoseconds length) noexcept {
  return length < std::chrono::hours(24) ? now() + length : Time::max();
}

/// Interval at which waits check for cancellation: the C interface of plugins has no callback for it.
inline constexpr std::chrono::milliseconds kPollInterval{10};

/// Returns the end of the next wait for an event, after which the caller checks for cancellation.
inline Time next_check(Time until) noexcept { return std::min(until, now() + kPollInterval); }

/// Waits until `is_ready` returns true, which `changed` announces, and returns true. Returns false after `limit`, or
/// soon after the call was cancelled. `lock` protects what `is_ready` reads.
template <class Ready>
bool wait(const ports::Call& call, std::chrono::nanoseconds limit, std::unique_lock<std::mutex>& lock,
          std::condition_variable& changed, Ready is_ready) {
  const Time until = after(limit);
  while (!is_ready()) {
    if (call.cancelled() || now() >= until) return false;
    changed.wait_until(lock, next_check(until), is_ready);
  }
  return true;
}

/// Sleeps for `length`, or until soon after `is_wanted` returns false.
template <class Wanted> void pause(std::chrono::nanoseconds length, Wanted is_wanted) {
  for (const Time until = after(length); now() < until && is_wanted();)
    std::this_thread::sleep_until(next_check(until));
}

}  // namespace kbase::waiting
