// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kbase::tests {

/// A client that expects nothing good: whatever the server does, each call comes back, at the latest when its time is
/// up. IPv4 loopback. One thread.
class Caller {
 public:
  /// `receive_buffer` bytes of socket buffer; 0: as usual.
  explicit Caller(std::uint16_t port, int receive_buffer = 0);
  ~Caller() { leave(); }
  Caller(Caller&& other) noexcept;
  Caller& operator=(Caller&&) = delete;

  bool is_connected() const { return socket_ >= 0; }

  /// What the server does not take is dropped.
  void send(std::string_view bytes);

  /// Sends a GET of this path that carries an id of its own.
  void get(std::string_view path, std::string_view id, std::string_view method = "GET");

  /// The next answer, head and body; nullopt: it did not come whole in time. That to a HEAD has no body.
  std::optional<std::string> answer(std::chrono::milliseconds timeout, bool to_head = false);

  /// Whether anything comes, be it the end.
  bool hears(std::chrono::milliseconds timeout) const;

  void end_output();
  void leave();
  /// Closes with a reset.
  void vanish();

 private:
  using Clock = std::chrono::steady_clock;
  bool receive(Clock::time_point deadline);

  int socket_;
  std::string input_;
};

}  // namespace kbase::tests
