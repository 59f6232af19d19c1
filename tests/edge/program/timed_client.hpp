// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kbase::tests {

/// Client for servers that may misbehave: every call returns at its timeout at the latest, whatever the server does.
/// IPv4 loopback only. Not thread-safe.
class TimedClient {
 public:
  /// `receive_buffer` is the size of the socket buffer in bytes; 0 keeps the default.
  explicit TimedClient(std::uint16_t port, int receive_buffer = 0);
  ~TimedClient() { close(); }
  TimedClient(TimedClient&& other) noexcept;
  TimedClient& operator=(TimedClient&&) = delete;

  bool is_connected() const { return socket_ >= 0; }

  /// Drops the bytes that the server does not accept.
  void send(std::string_view bytes);

  /// Sends a request for `path` with the X-Request-Id `id`.
  void get(std::string_view path, std::string_view id, std::string_view method = "GET");

  /// Returns the next response, head and body; nullopt if it is incomplete at the timeout. `to_head` means a response
  /// to HEAD, which has no body.
  std::optional<std::string> answer(std::chrono::milliseconds timeout, bool to_head = false);

  /// Whether data or the end of the connection arrives within `timeout`.
  bool wait_for_data(std::chrono::milliseconds timeout) const;

  void end_output();
  void close();
  /// Closes the connection with a reset.
  void reset();

 private:
  using Clock = std::chrono::steady_clock;
  bool receive(Clock::time_point deadline);

  int socket_;
  std::string input_;
};

}  // namespace kbase::tests
