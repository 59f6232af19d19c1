// SPDX-License-Identifier: Apache-2.0
#include "tests/edge/program/timed_client.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <charconv>
#include <utility>

namespace kbase::tests {
namespace {

/// Returns the Content-Length of a response head; 0 if it has none.
std::size_t length_in(std::string_view head) {
  constexpr std::string_view kName = "\r\nContent-Length: ";
  const std::size_t field = head.find(kName);
  std::size_t length = 0;
  if (field != std::string_view::npos)
    std::from_chars(head.data() + field + kName.size(), head.data() + head.size(), length);
  return length;
}

/// Connects with a timeout of 4 s: the clients of a server that does not accept wait in its queue and get no
/// response. If the queue is full for a moment, the kernel retries after a second.
bool connect_patiently(int socket, const sockaddr_in& address) {
  const timeval limit{4, 0};
  ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  return ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

}  // namespace

TimedClient::TimedClient(std::uint16_t port, int receive_buffer)
    : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  if (receive_buffer > 0) ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  const int on = 1;
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (!connect_patiently(socket_, address)) close();
}

TimedClient::TimedClient(TimedClient&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), input_(std::move(other.input_)) {}

void TimedClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    pollfd writable{socket_, POLLOUT, 0};
    if (::poll(&writable, 1, 2000) <= 0) return;
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void TimedClient::get(std::string_view path, std::string_view id, std::string_view method) {
  std::string request(method);
  request.append(" /api/v1").append(path).append(" HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\nX-Request-Id: ");
  send(request.append(id).append("\r\n\r\n"));
}

bool TimedClient::wait_for_data(std::chrono::milliseconds timeout) const {
  pollfd readable{socket_, POLLIN, 0};
  return !input_.empty() || ::poll(&readable, 1, static_cast<int>(timeout.count())) > 0;
}

bool TimedClient::receive(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
  pollfd readable{socket_, POLLIN, 0};
  if (left.count() <= 0 || ::poll(&readable, 1, static_cast<int>(left.count())) <= 0) return false;
  char buffer[65536];
  const ssize_t received = ::recv(socket_, buffer, sizeof buffer, 0);
  if (received > 0) input_.append(buffer, static_cast<std::size_t>(received));
  return received > 0;
}

std::optional<std::string> TimedClient::answer(std::chrono::milliseconds timeout, bool to_head) {
  const auto deadline = Clock::now() + timeout;
  std::size_t end = 0;
  while ((end = input_.find("\r\n\r\n")) == std::string::npos)
    if (!receive(deadline)) return std::nullopt;
  const std::size_t size = end + 4 + (to_head ? 0 : length_in(std::string_view(input_).substr(0, end + 2)));
  while (input_.size() < size)
    if (!receive(deadline)) return std::nullopt;
  std::string expected = input_.substr(0, size);
  input_.erase(0, size);
  return expected;
}

void TimedClient::end_output() { ::shutdown(socket_, SHUT_WR); }

void TimedClient::close() {
  if (socket_ >= 0) ::close(std::exchange(socket_, -1));
}

void TimedClient::reset() {
  const linger at_once{1, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close();
}

}  // namespace kbase::tests
