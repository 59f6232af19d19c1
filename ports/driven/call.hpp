// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string_view>

namespace kbase::ports {

/// Non-owning cancellation token: a flag, or a callback that reports whether the caller still needs the result. Any
/// thread; never blocks.
class CancelSource {
 public:
  using Predicate = bool (*)(const void* state) noexcept;

  CancelSource() = default;
  /// `flag` belongs to the caller and must outlive every use. Null: never cancelled.
  CancelSource(const std::atomic<bool>* flag) noexcept  // NOLINT: a flag is a source
      : state_(flag), predicate_(flag != nullptr ? is_set : nullptr) {}
  CancelSource(const void* state, Predicate predicate) noexcept : state_(state), predicate_(predicate) {}

  bool requested() const noexcept { return predicate_ != nullptr && predicate_(state_); }

  /// Returns the state passed at construction if this source was built with `predicate`; null: it was built with
  /// another.
  const void* state_of(Predicate predicate) const noexcept { return predicate_ == predicate ? state_ : nullptr; }

 private:
  static bool is_set(const void* flag) noexcept {
    return static_cast<const std::atomic<bool>*>(flag)->load(std::memory_order_relaxed);
  }

  const void* state_ = nullptr;
  Predicate predicate_ = nullptr;
};

/// Context of a call through a port. Lives on the caller's stack until the call returns.
struct Call {
  using SteadyTime = std::chrono::steady_clock::time_point;

  /// Time limit, by Clock::steady. A call that cannot finish by then fails with Deadline soon after.
  SteadyTime deadline = SteadyTime::max();
  /// Set when the caller no longer needs the result. Long loops check it and fail with Cancelled.
  CancelSource cancel;
  /// Id of the request that this call serves, for the log.
  std::string_view trace_id;
  /// Set on a thread that must not wait. A call that would take longer than about half a millisecond fails with
  /// Deadline and no effect, if the port declares that it can do so; the caller repeats it on another thread.
  bool is_quick = false;

  bool cancelled() const noexcept { return cancel.requested(); }
};

}  // namespace kbase::ports
