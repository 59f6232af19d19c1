// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace kbase::runtime {

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
