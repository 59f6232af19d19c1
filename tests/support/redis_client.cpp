// SPDX-License-Identifier: Apache-2.0
#include "tests/support/redis_client.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

namespace kbase::tests {

RedisClient::RedisClient(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const timeval timeout{10, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return;
  ::close(socket_);
  throw std::runtime_error("no Redis at port " + std::to_string(port));
}

RedisClient::~RedisClient() { ::close(socket_); }

redis::Reply RedisClient::ask(std::initializer_list<std::string_view> words) {
  redis::Commands command;
  command.add(words);
  ::send(socket_, command.bytes().data(), command.bytes().size(), MSG_NOSIGNAL);
  std::array<char, 65536> buffer{};
  for (;;) {
    auto reply = reader_.next();
    if (!reply) throw std::runtime_error(reply.error().detail);
    if (*reply != nullptr) return std::move(**reply);
    const ssize_t received = ::recv(socket_, buffer.data(), buffer.size(), 0);
    if (received <= 0) throw std::runtime_error("the Redis went or is silent");
    reader_.feed({buffer.data(), static_cast<std::size_t>(received)});
  }
}

bool answers_ping(std::uint16_t port) {
  try {
    const redis::Reply reply = RedisClient(port).ask({"PING"});
    return reply.text == "PONG" || reply.is_error("NOAUTH");
  } catch (const std::runtime_error&) {
    return false;
  }
}

}  // namespace kbase::tests
