// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "adapters/http/services.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/metrics.hpp"

namespace kbase::runtime {

/// Limits of a worker pool's queue. The queue is meant for bursts, so work may wait for `time`. While no more work
/// waits than there are threads, work may wait for ten times `time`: the queue then holds at most one more round of
/// work, and the wait has another cause than the rate of requests, for example one slow request or another program on
/// the machine.
///
/// If more work waits than there are threads, and no work started within a twentieth of `time` for longer than `time`,
/// the pool is overloaded, and waiting no longer helps. During overload, work may wait only a fifth of `time`. The
/// overload ends when no work has been late for `time` (Maurer, Fail at Scale, ACM Queue 13-8, 2015, after the
/// controlled delay of RFC 8289).
struct QueueLimits {
  std::size_t length = 1024;
  std::chrono::milliseconds time{100};
};

/// Thread pool for blocking work with a bounded queue. New work is refused while the oldest queued work is late. Late
/// work gets Timing::TooLate when a thread reaches it, more work is submitted, or fail_late() is called, whichever is
/// first. Work of submit() is never late. Destruction runs all accepted work. Thread-safe.
class WorkerPool final : public http::Executor {
 public:
  struct Stats {
    std::size_t threads = 0;
    std::size_t busy = 0;       ///< threads running work
    std::size_t queued = 0;     ///< work items waiting for a thread
    std::uint64_t refused = 0;  ///< work items refused, since the start
    std::uint64_t late = 0;     ///< accepted work items that waited too long, since the start
    bool is_overloaded = false;
  };

  /// The arguments must outlive the pool. `waits` observes queue times in seconds; may be null.
  WorkerPool(std::size_t threads, const QueueLimits& limits, const ports::Clock& clock,
             ports::Histogram* waits = nullptr);
  ~WorkerPool() override;

  /// False: the queue is full, too slow, or the pool is being destroyed. The work is then not accepted.
  bool try_submit(Work work) override;
  bool has_free_thread() const override;
  void submit(Work work) override;

  /// Calls late work with Timing::TooLate on the caller's thread. To be called periodically, because all threads of the
  /// pool may be blocked.
  void fail_late();

  Stats stats() const;

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Entry {
    Work work;
    Time since;
  };

  bool is_thread_free() const;
  std::vector<Entry> remove_late(Time now);
  void call(const Entry& entry, Timing timing, Time now) const;
  std::chrono::milliseconds longest_wait() const;
  void update_overload(Time now);
  void run();

  const QueueLimits limits_;
  const ports::Clock& clock_;
  ports::Histogram* const waits_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Entry> queue_;
  std::deque<Entry> promised_;  // work of submit(), which is done first
  Time last_prompt_{};          // when work last started promptly
  Time last_late_{};            // when the oldest work was last late
  bool is_overloaded_ = false;
  bool stopping_ = false;
  std::size_t busy_ = 0;
  std::uint64_t refused_ = 0;
  std::uint64_t late_ = 0;
  std::vector<std::thread> threads_;
};

/// A thread that runs one function repeatedly, with a pause after each run. Stopping waits for the current run.
class PeriodicTask {
 public:
  PeriodicTask(std::chrono::milliseconds pause, std::function<void()> work)
      : pause_(pause), work_(std::move(work)), thread_([this] { run(); }) {}
  ~PeriodicTask() { stop(); }
  PeriodicTask(const PeriodicTask&) = delete;
  PeriodicTask& operator=(const PeriodicTask&) = delete;

  void stop() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      lock.unlock();
      work_();
      lock.lock();
      wake_.wait_for(lock, pause_, [this] { return stopping_; });
    }
  }

  const std::chrono::milliseconds pause_;
  const std::function<void()> work_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread thread_;  // last: the thread uses the members above
};

}  // namespace kbase::runtime
