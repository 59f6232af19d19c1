// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace kbase::tests {

/// A server on 127.0.0.1 that answers a POST with two events, the second one only after release(), or 5 seconds later.
/// Any other request is answered with an empty 200.
class EventSource {
 public:
  static constexpr const char* kFirst = "event: delta\ndata: {\"text\":\"one\"}\n\n";
  static constexpr const char* kSecond = "event: done\ndata: {}\n\n";

  EventSource();
  ~EventSource();
  EventSource(const EventSource&) = delete;
  EventSource& operator=(const EventSource&) = delete;

  std::uint16_t port() const { return port_; }

  /// Says that the first event arrived. Any thread.
  void release();

  /// Whether release() came before the second event went.
  bool was_released() const { return was_released_; }

 private:
  void serve();
  void answer(int connection);

  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool released_ = false;
  std::atomic<bool> was_released_{false};
  std::thread thread_;
};

}  // namespace kbase::tests
