// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "adapters/http/executor.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/metrics.hpp"

namespace kbase::runtime {

/// How much work may wait for a thread, and how long. A queue is good for bursts only: where no work has met a thread
/// within a twentieth of `time` for longer than `time` it is overload, in which waiting wins nothing: until none has
/// been late for `time`, work may wait for a fifth of it (Maurer, Fail at Scale, ACM Queue 13-8, 2015, after the
/// controlled delay of RFC 8289).
struct QueueLimits {
  std::size_t length = 1024;
  std::chrono::milliseconds time{100};
};

/// Threads for work that may block, with a bounded queue in front. What arrives while even the oldest work waits too
/// long is refused at once. What has waited too long is told so when a thread comes to it, more work arrives, or
/// tell_late() is called, whichever is sooner. Destruction calls what was accepted. Any thread.
class WorkerPool final : public http::Executor {
 public:
  struct Stats {
    std::size_t threads = 0;
    std::size_t busy = 0;       ///< threads at work
    std::size_t queued = 0;     ///< work that waits
    std::uint64_t refused = 0;  ///< work that was not taken, since the start
    std::uint64_t late = 0;     ///< work that was taken, but waited too long, since the start
  };

  /// What it is given outlives the pool; `waits` is told for how many seconds work waited, null: nobody is.
  WorkerPool(std::size_t threads, const QueueLimits& limits, const ports::Clock& clock,
             ports::Histogram* waits = nullptr);
  ~WorkerPool() override;

  /// False: the queue is too full or too slow, or the pool is going away; the work is not taken.
  bool try_submit(Work work) override;

  /// Tells the work that has waited too long, on the caller's thread. To be called over and over where all threads may
  /// wait for somebody else.
  void tell_late();

  Stats stats() const;

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Entry {
    Work work;
    Time since;
  };

  std::vector<Entry> take_late(Time now);
  void call(const Entry& entry, Turn turn, Time now) const;
  bool is_late(const Entry& entry, Time now) const;
  void judge(Time now);
  void run();

  const QueueLimits limits_;
  const ports::Clock& clock_;
  ports::Histogram* const waits_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Entry> queue_;
  Time kept_up_{};    // when work last met a thread at once, or nearly so
  Time last_late_{};  // when work was last told that it is too late, or the overload began
  bool is_overloaded_ = false;
  bool stopping_ = false;
  std::size_t busy_ = 0;
  std::uint64_t refused_ = 0;
  std::uint64_t late_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace kbase::runtime
