// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <string_view>

namespace kbase::tests {

/// Connection to a server on this machine, for requests that are sent piece by piece.
class RawConnection {
 public:
  explicit RawConnection(const std::string& base_url) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const std::size_t port = base_url.rfind(':') + 1;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(base_url.substr(port))));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  ~RawConnection() { ::close(socket_); }
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;

  /// Returns whether the server took the bytes.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  /// Waits for bytes of the response and returns them; empty at its end.
  std::string receive() {
    char bytes[4096];
    const ssize_t received = ::recv(socket_, bytes, sizeof bytes, 0);
    return {bytes, received > 0 ? static_cast<std::size_t>(received) : 0};
  }

  /// Waits for the end of the connection and returns what arrived.
  std::string receive_all() {
    std::string all;
    for (std::string piece = receive(); !piece.empty(); piece = receive()) all += piece;
    return all;
  }

 private:
  const int socket_;
};

}  // namespace kbase::tests
