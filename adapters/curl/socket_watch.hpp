// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <curl/curl.h>

#include <atomic>
#include <chrono>
#include <optional>

#include "domain/model/result.hpp"

namespace kbase::curl {

/// Waits for the sockets of a multi handle with epoll(7): libcurl says which and how long, and hears which are ready,
/// so that a step costs the same with one transfer or with a thousand.
class SocketWatch {
 public:
  using Time = std::chrono::steady_clock::time_point;

  SocketWatch() = default;
  ~SocketWatch();
  SocketWatch(const SocketWatch&) = delete;
  SocketWatch& operator=(const SocketWatch&) = delete;

  /// Unavailable: the system gives no more descriptors.
  model::Status open(CURLM* multi);

  /// Waits until something is ready, libcurl's time has come, `until` passed or somebody called wake(), and lets
  /// libcurl do what there is to do.
  void step(CURLM* multi, std::optional<Time> until);

  /// Any thread.
  void wake() const;

 private:
  static int on_socket(CURL* easy, curl_socket_t socket, int what, void* self, void* known) noexcept;
  static int on_timer(CURLM* multi, long milliseconds, void* self) noexcept;

  int wait_ms(std::optional<Time> until) const;

  int epoll_ = -1;
  int bell_ = -1;
  std::optional<Time> due_;  // when libcurl wants to be called, whatever the sockets do
};

}  // namespace kbase::curl
