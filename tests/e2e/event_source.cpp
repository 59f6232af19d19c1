// SPDX-License-Identifier: Apache-2.0
#include "tests/e2e/event_source.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <regex>
#include <stdexcept>
#include <string>
#include <string_view>

namespace kbase::tests {
namespace {

/// Returns the size in bytes of the request that begins with `begun`; more than begun.size() if its head is
/// incomplete.
std::size_t size_of_request(const std::string& begun) {
  static const std::regex kLength("\r\ncontent-length: *(\\d+)\r\n", std::regex::icase);
  const std::size_t end = begun.find("\r\n\r\n");
  if (end == std::string::npos) return begun.size() + 1;
  std::smatch length;
  return end + 4 + (std::regex_search(begun, length, kLength) ? std::stoul(length[1]) : 0);
}

/// Reads a whole request. Returns an empty string if the connection ends first: a proxy that is answered before it
/// has sent the body may drop both.
std::string read_request(int connection) {
  std::string read;
  std::array<char, 4096> bytes{};
  while (read.size() < size_of_request(read)) {
    const ssize_t count = ::recv(connection, bytes.data(), bytes.size(), 0);
    if (count <= 0) return {};
    read.append(bytes.data(), static_cast<std::size_t>(count));
  }
  return read;
}

void send_all(int connection, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

}  // namespace

EventSource::EventSource() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener_, 16) != 0 ||
      ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw std::runtime_error("the source of events cannot listen");
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { serve(); });
}

EventSource::~EventSource() {
  ::shutdown(listener_, SHUT_RDWR);  // makes accept() return
  thread_.join();
  ::close(listener_);
}

void EventSource::release() {
  const std::lock_guard lock(mutex_);
  released_ = true;
  changed_.notify_all();
}

void EventSource::serve() {
  for (int connection = 0; (connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
    answer(connection);
    ::shutdown(connection, SHUT_WR);
    for (char rest[256]; ::recv(connection, rest, sizeof rest, 0) > 0;) {
    }
    ::close(connection);
  }
}

void EventSource::answer(int connection) {
  if (!read_request(connection).starts_with("POST "))
    return send_all(connection, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
  send_all(connection, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/event-stream\r\n\r\n");
  send_all(connection, kFirst);
  {
    std::unique_lock lock(mutex_);
    was_released_ = changed_.wait_for(lock, std::chrono::seconds(5), [this] { return released_; });
  }
  send_all(connection, kSecond);
}

}  // namespace kbase::tests
