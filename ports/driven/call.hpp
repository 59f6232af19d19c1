// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string_view>

namespace kbase::ports {

/// What travels with every call through a port; lives on the caller's stack until the call returns.
struct Call {
  using SteadyTime = std::chrono::steady_clock::time_point;

  /// When the caller stops waiting, by Clock::steady. A call that cannot finish by then fails with Deadline soon after.
  SteadyTime deadline = SteadyTime::max();
  /// Set by the caller when nobody wants the answer any more; null: never. Long loops look at it and fail with
  /// Cancelled.
  const std::atomic<bool>* cancel = nullptr;
  /// The id under which the log speaks of the request this call serves.
  std::string_view trace_id;

  bool cancelled() const noexcept { return cancel != nullptr && cancel->load(std::memory_order_relaxed); }
};

}  // namespace kbase::ports
