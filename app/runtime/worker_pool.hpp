// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "adapters/http/executor.hpp"

namespace kbase::runtime {

/// Threads for work that may block, with a bounded queue in front. Destruction runs what was accepted. Any thread.
class WorkerPool final : public http::Executor {
 public:
  WorkerPool(std::size_t threads, std::size_t queue_limit);
  ~WorkerPool() override;

  /// False: the queue is full, or the pool is going away; the work is not taken.
  bool try_submit(std::function<void()> work) override;

 private:
  void run();

  const std::size_t queue_limit_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> queue_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace kbase::runtime
