// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "app/runtime/log_throttle.hpp"
#include "app/runtime/worker_pool.hpp"
#include "ports/driven/event_log.hpp"

namespace kbase::runtime {

/// Logs why requests got 503 for lack of a thread, at most once per minute for a pool. Not thread-safe.
class RefusalLog {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// Both arguments must outlive this object. `name` is the name of the pool in the log.
  RefusalLog(std::string_view name, const WorkerPool& pool) : name_(name), pool_(pool) {}

  /// Logs the requests that were refused or too late since the last message. To be called periodically.
  void update(ports::EventLog& log, Time now);

 private:
  const std::string_view name_;
  const WorkerPool& pool_;
  std::uint64_t refused_ = 0;  // as of the last message
  std::uint64_t late_ = 0;     // likewise
  OncePerMinute throttle_;
};

}  // namespace kbase::runtime
