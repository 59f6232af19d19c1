// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/client_connection.hpp"

#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace kbase::bench {
namespace {

/// Returns the size of the complete response at the start of `text`; 0 if it is incomplete.
std::size_t response_size(std::string_view text) {
  const std::size_t head = text.find("\r\n\r\n");
  if (head == std::string_view::npos) return 0;
  constexpr std::string_view kName = "\r\nContent-Length: ", kOther = "\r\ncontent-length: ";
  const std::size_t field = std::min(text.substr(0, head).find(kName), text.substr(0, head).find(kOther));
  std::size_t length = 0;
  if (field != std::string_view::npos) {
    const char* start = text.data() + field + kName.size();
    std::from_chars(start, text.data() + head + 2, length);
  }
  return text.size() >= head + 4 + length ? head + 4 + length : 0;
}

}  // namespace

ClientConnection::ClientConnection(const sockaddr_in& server)
    : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&server), sizeof server) != 0) {
    std::perror("cannot connect");
    std::exit(1);
  }
  const int on = 1;
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

ClientConnection::~ClientConnection() {
  if (socket_ >= 0) ::close(socket_);
}

ClientConnection::ClientConnection(ClientConnection&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)),
      busy_(other.busy_),
      due_(other.due_),
      status_(other.status_),
      received_(std::move(other.received_)) {}

bool ClientConnection::send(std::string_view request, Time due) {
  busy_ = true;
  due_ = due;
  return trickle(request);
}

bool ClientConnection::trickle(std::string_view bytes) {
  return ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
}

ClientConnection::Outcome ClientConnection::receive() {
  char buffer[65536];
  const ssize_t size = ::recv(socket_, buffer, sizeof buffer, MSG_DONTWAIT);
  if (size <= 0) return Outcome::Closed;
  received_.append(buffer, static_cast<std::size_t>(size));
  return parse_response();
}

ClientConnection::Outcome ClientConnection::parse_response() {
  if (response_size(received_) == 0) return Outcome::More;
  status_ = 0;
  constexpr std::size_t kStatusAt = 9;  // after "HTTP/1.1 "
  std::from_chars(received_.data() + kStatusAt, received_.data() + kStatusAt + 3, status_);
  received_.clear();
  busy_ = false;
  return Outcome::Answered;
}

}  // namespace kbase::bench
