// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <string_view>

namespace kbase::tests {

/// Request without its last bytes, so that its server has a request in flight.
class HalfRequest {
 public:
  explicit HalfRequest(const std::string& base_url) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const std::size_t port = base_url.rfind(':') + 1;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(base_url.substr(port))));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    send("GET /api/v1/recent HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
    char answer[64];
    EXPECT_GT(::recv(socket_, answer, sizeof answer, 0), 0) << "the server has the request's head";
  }
  ~HalfRequest() { ::close(socket_); }
  HalfRequest(const HalfRequest&) = delete;
  HalfRequest& operator=(const HalfRequest&) = delete;

  void finish() { send("{}"); }

 private:
  void send(std::string_view bytes) {
    EXPECT_EQ(::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }
  const int socket_;
};

}  // namespace kbase::tests
