// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <netinet/in.h>

#include <chrono>
#include <string>
#include <string_view>

namespace kbase::bench {

/// Keep-alive connection of the load generator. Sends one request at a time and reads its response.
class ClientConnection {
 public:
  using Time = std::chrono::steady_clock::time_point;

  enum class Outcome { More, Answered, Closed };

  /// Connects and waits for the connection. Exits the program if the connection is refused.
  explicit ClientConnection(const sockaddr_in& server);
  ~ClientConnection();
  ClientConnection(ClientConnection&& other) noexcept;
  ClientConnection& operator=(ClientConnection&&) = delete;

  int socket() const noexcept { return socket_; }
  bool is_busy() const noexcept { return busy_; }
  Time due() const noexcept { return due_; }

  /// Sends a whole request; its latency counts from `due`. Returns false if the server has closed the connection.
  bool send(std::string_view request, Time due);

  /// Sends bytes of an incomplete request.
  bool trickle(std::string_view bytes);

  /// Reads the available bytes.
  Outcome receive();

  /// Status of the last response.
  unsigned status() const noexcept { return status_; }

 private:
  Outcome parse_response();

  int socket_;
  bool busy_ = false;
  Time due_;
  unsigned status_ = 0;
  std::string received_;
};

}  // namespace kbase::bench
