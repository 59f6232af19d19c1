// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace kbase::http {

/// Bounded thread pool for work that may block. Thread-safe.
class Executor {
 public:
  enum class Timing {
    OnTime,
    TooLate,  ///< waited too long and must not be done; report the failure to the client at once
  };
  using Work = std::function<void(Timing)>;

  virtual ~Executor() = default;

  /// Queues `work`, which is called with Timing::OnTime on another thread, or with Timing::TooLate on any thread.
  /// Returns false and destroys `work` without a call if the queue is full. Accepted work is called once, or destroyed
  /// when the program ends.
  virtual bool try_submit(Work work) = 0;
};

}  // namespace kbase::http
