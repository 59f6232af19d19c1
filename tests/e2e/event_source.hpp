// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace kbase::tests {

/// Server on 127.0.0.1 that answers a POST with two events. It sends the second event after release(), or after 5
/// seconds. It answers any other request with an empty 200.
class EventSource {
 public:
  static constexpr const char* kFirst = "event: delta\ndata: {\"text\":\"one\"}\n\n";
  static constexpr const char* kSecond = "event: done\ndata: {}\n\n";

  EventSource();
  ~EventSource();
  EventSource(const EventSource&) = delete;
  EventSource& operator=(const EventSource&) = delete;

  std::uint16_t port() const { return port_; }

  /// Lets the server send the second event. Thread-safe.
  void release();

  /// Whether release() was called before the second event was sent.
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
