// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <chrono>

namespace kbase::tests {

/// Polls `condition` at once and then every 10 ms; returns false after `limit`. Use it for the effects of another
/// process. Within one process, wait for the event or advance the clock.
template <class Condition> bool eventually(std::chrono::milliseconds limit, Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    ::poll(nullptr, 0, 10);
  }
  return true;
}

}  // namespace kbase::tests
