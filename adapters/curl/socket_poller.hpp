// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <curl/curl.h>

#include <atomic>
#include <chrono>
#include <optional>

#include "domain/base/result.hpp"

namespace kbase::curl {

/// Waits for the sockets of a libcurl multi handle with epoll(7). libcurl names the sockets and the timeout and gets
/// the ready sockets, so that the cost of a step does not depend on the number of transfers.
class SocketPoller {
 public:
  using Time = std::chrono::steady_clock::time_point;

  SocketPoller() = default;
  ~SocketPoller();
  SocketPoller(const SocketPoller&) = delete;
  SocketPoller& operator=(const SocketPoller&) = delete;

  /// Unavailable: no file descriptor is available.
  Status open(CURLM* multi);

  /// Waits until a socket is ready, libcurl's timer expires, `until` passes or wake() is called. Then lets libcurl
  /// process the events.
  void step(CURLM* multi, std::optional<Time> until);

  /// Ends the wait of step(). Thread-safe.
  void wake() const;

 private:
  static int on_socket(CURL* easy, curl_socket_t socket, int what, void* self, void* known) noexcept;
  static int on_timer(CURLM* multi, long milliseconds, void* self) noexcept;

  int wait_ms(std::optional<Time> until) const;

  int epoll_ = -1;
  int wake_fd_ = -1;
  std::optional<Time> due_;  // expiry of libcurl's timer
};

}  // namespace kbase::curl
