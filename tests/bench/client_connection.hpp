// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <netinet/in.h>

#include <chrono>
#include <string>
#include <string_view>

namespace kbase::bench {

/// One keep-alive connection of the load generator: sends a request, takes the answer, one at a time.
class ClientConnection {
 public:
  using Time = std::chrono::steady_clock::time_point;

  enum class Outcome { More, Answered, Closed };

  /// Connects, and waits until it is connected. Ends the program where that is refused.
  explicit ClientConnection(const sockaddr_in& server);
  ~ClientConnection();
  ClientConnection(ClientConnection&& other) noexcept;
  ClientConnection& operator=(ClientConnection&&) = delete;

  int socket() const noexcept { return socket_; }
  bool is_busy() const noexcept { return busy_; }
  Time due() const noexcept { return due_; }

  /// Sends a whole request; its time counts from `due`. False: the server has closed the connection.
  bool ask(std::string_view request, Time due);

  /// Sends bytes that are no whole request.
  bool trickle(std::string_view bytes);

  /// Takes what is there.
  Outcome receive();

  /// Of the answer that was received last.
  unsigned status() const noexcept { return status_; }

 private:
  Outcome accept_answer();

  int socket_;
  bool busy_ = false;
  Time due_;
  unsigned status_ = 0;
  std::string received_;
};

}  // namespace kbase::bench
