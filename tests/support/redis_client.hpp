// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "adapters/redis/reply.hpp"

namespace kbase::tests {

/// A blocking connection of a test's own to a Redis on this machine: what an operator types into redis-cli. Throws
/// std::runtime_error where the server is away or silent for ten seconds.
class RedisClient {
 public:
  explicit RedisClient(std::uint16_t port);
  ~RedisClient();
  RedisClient(const RedisClient&) = delete;
  RedisClient& operator=(const RedisClient&) = delete;

  redis::Reply ask(std::initializer_list<std::string_view> words);

 private:
  int socket_;
  redis::ReplyReader reader_;
};

/// Whether a server at the port answers PING, be it that it wants a password first.
bool answers_ping(std::uint16_t port);

}  // namespace kbase::tests
