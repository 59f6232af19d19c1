// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string_view>

namespace kbase::ports {

/// Whether anybody still waits for an answer: a flag, or another's question to it. Any thread; never waits.
class CancelSource {
 public:
  using Question = bool (*)(const void* state) noexcept;

  CancelSource() = default;
  /// The flag is the caller's and outlives every use; null: never.
  CancelSource(const std::atomic<bool>* flag) noexcept  // NOLINT: a flag is a source
      : state_(flag), question_(flag != nullptr ? is_set : nullptr) {}
  CancelSource(const void* state, Question question) noexcept : state_(state), question_(question) {}

  bool requested() const noexcept { return question_ != nullptr && question_(state_); }

  /// What `question` is asked of, for whoever made the source of it; null: this source asks another one.
  const void* state_of(Question question) const noexcept { return question_ == question ? state_ : nullptr; }

 private:
  static bool is_set(const void* flag) noexcept {
    return static_cast<const std::atomic<bool>*>(flag)->load(std::memory_order_relaxed);
  }

  const void* state_ = nullptr;
  Question question_ = nullptr;
};

/// What travels with every call through a port; lives on the caller's stack until the call returns.
struct Call {
  using SteadyTime = std::chrono::steady_clock::time_point;

  /// When the caller stops waiting, by Clock::steady. A call that cannot finish by then fails with Deadline soon after.
  SteadyTime deadline = SteadyTime::max();
  /// Says when nobody wants the answer any more. Long loops look at it and fail with Cancelled.
  CancelSource cancel;
  /// The id under which the log speaks of the request this call serves.
  std::string_view trace_id;

  bool cancelled() const noexcept { return cancel.requested(); }
};

}  // namespace kbase::ports
