// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <chrono>

namespace kbase::tests {

/// Whether `condition` came true within `limit`: asked at once, and then each 10 ms. For what another process does;
/// inside one, wait for the event or move the clock.
template <class Condition>
bool eventually(std::chrono::milliseconds limit, Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    ::poll(nullptr, 0, 10);
  }
  return true;
}

}  // namespace kbase::tests
