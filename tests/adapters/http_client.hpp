// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tests/adapters/http_answer.hpp"

namespace kbase::tests {

/// A TCP client that sends raw bytes and waits at most ten seconds for each response.
class RawClient {
 public:
  /// `receive_buffer`: size of the socket buffer in bytes; 0: default.
  explicit RawClient(std::uint16_t port, int receive_buffer = 0) : RawClient() {
    if (receive_buffer > 0) ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    connect(port);
  }

  /// Does not connect yet.
  RawClient() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {}
  ~RawClient() { leave(); }
  RawClient(RawClient&& other) noexcept : socket_(std::exchange(other.socket_, -1)), input_(std::move(other.input_)) {}
  RawClient& operator=(RawClient&&) = delete;

  void connect(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connect_error_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 ? 0 : errno;
  }

  int connect_error() const { return connect_error_; }

  void send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;  // the server closed the connection; the caller reads what it sent before
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

  void get(std::string_view path, std::string_view fields = "") {
    send("GET /api/v1" + std::string(path) + " HTTP/1.1\r\nHost: x\r\n" + std::string(fields) + "\r\n");
  }

  void end_output() { ::shutdown(socket_, SHUT_WR); }

  void leave() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  }

  /// Closes the connection with a TCP reset.
  void reset() {
    const linger immediate{1, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &immediate, sizeof immediate);
    leave();
  }

  /// Returns the next response. Its status is 0 if the connection ends first.
  HttpAnswer answer(bool to_head = false) {
    std::size_t end = 0;
    while ((end = input_.find("\r\n\r\n")) == std::string::npos)
      if (!receive()) return {};
    HttpAnswer next = parse_head(std::string_view(input_).substr(0, end + 4));
    input_.erase(0, end + 4);
    if (to_head || !next.fields.contains("content-length")) return next;
    const auto length = static_cast<std::size_t>(std::stoull(next.field("content-length")));
    while (input_.size() < length)
      if (!receive()) return {};
    next.body = input_.substr(0, length);
    input_.erase(0, length);
    return next;
  }

  /// Returns the content of the next chunk of a body; empty: last chunk, or the connection ended.
  std::string chunk() {
    std::size_t end = 0;
    while ((end = input_.find("\r\n")) == std::string::npos)
      if (!receive()) return {};
    const std::size_t size = std::stoul(input_.substr(0, end), nullptr, 16);
    const std::size_t start = end + 2;
    while (input_.size() < start + size + 2)
      if (!receive()) return {};
    std::string data = input_.substr(start, size);
    input_.erase(0, start + size + 2);
    return data;
  }

  /// Returns all bytes until the connection ends.
  std::string rest() {
    while (receive()) {
    }
    return std::exchange(input_, {});
  }

  /// Returns true if the server closes the connection without sending another byte.
  bool ends() { return input_.empty() && !receive() && ended_; }

  /// Returns true if bytes or the end of the connection can be read within `milliseconds`.
  bool is_readable(int milliseconds) const {
    pollfd poll_entry{socket_, POLLIN, 0};
    return !input_.empty() || ::poll(&poll_entry, 1, milliseconds) > 0;
  }

 private:
  bool receive() {
    char buffer[16384];
    if (!is_readable_now()) {
      ADD_FAILURE() << "the server sent nothing for ten seconds";
      return false;
    }
    const ssize_t got = ::recv(socket_, buffer, sizeof buffer, 0);
    ended_ = got <= 0;
    if (got > 0) input_.append(buffer, static_cast<std::size_t>(got));
    return got > 0;
  }
  bool is_readable_now() const {
    pollfd poll_entry{socket_, POLLIN, 0};
    return ::poll(&poll_entry, 1, 10'000) > 0;
  }

  int socket_;
  int connect_error_ = 0;
  std::string input_;
  bool ended_ = false;
};

}  // namespace kbase::tests
