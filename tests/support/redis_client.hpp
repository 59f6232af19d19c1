// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "adapters/redis/channel.hpp"

namespace kbase::tests {

/// A test's blocking connection to a Redis server on this machine, for commands that an operator would type into
/// redis-cli. Throws std::runtime_error if the server is unreachable or does not answer within ten seconds.
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

/// Returns true if a server at the port answers PING, even with a request for a password.
bool answers_ping(std::uint16_t port);

}  // namespace kbase::tests
