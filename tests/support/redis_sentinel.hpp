// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "tests/support/redis_server.hpp"

namespace kbase::tests {

/// A primary with replicas, monitored by sentinels with a quorum of one and a down-after time of half a second.
class RedisWithSentinels {
 public:
  static constexpr const char* kName = "rate_limit";

  /// Waits until the sentinels know each other and every replica.
  explicit RedisWithSentinels(std::size_t replicas = 0, std::size_t sentinels = 1);

  /// "redis+sentinel://HOST:PORT,HOST:PORT/NAME"
  std::string url() const;

  RedisServer& primary() { return *servers_.front(); }
  RedisServer& replica() { return *servers_.at(1); }
  RedisServer& sentinel(std::size_t number) { return *sentinels_.at(number); }

 private:
  std::vector<std::unique_ptr<RedisServer>> servers_;
  TemporaryFolder folder_;
  std::vector<std::unique_ptr<RedisServer>> sentinels_;
};

}  // namespace kbase::tests
