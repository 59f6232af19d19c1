// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "adapters/redis/topology.hpp"
#include "ports/driven/cache.hpp"
#include "ports/driven/clock.hpp"

namespace kbase::redis {

/// Cache shared by several processes, in a Redis whose maxmemory bounds it. Each value has a checksum over itself and
/// its key, so a value written by another program is a miss. A value expires by the clock of Redis and by that of the
/// reader: if the clocks of machines differ, values live shorter.
///
/// If Redis is full or unreachable, a replaced value stays until it expires. Callers that put a revision into their
/// keys never see it.
///
/// A put ends when its call is cancelled. If Redis does not answer, a connection keeps the data sent last, 1 MiB or one
/// larger value, until the connection is closed two seconds later.
class RedisCache final : public ports::Cache {
 public:
  /// InvalidArgument: an option is not valid. `clock` must outlive the cache.
  static Result<std::unique_ptr<RedisCache>> open(const KeyspaceOptions& options, const ports::Clock& clock);

  Result<bool> get(ports::Call& call, std::string_view key, Visitor<std::string_view> visitor) override;
  Status put(ports::Call& call, std::string_view key, std::string_view value,
             std::chrono::milliseconds time_to_live) override;
  Status erase(ports::Call& call, std::string_view key) override;

  /// See Keyspace::health.
  Status health(ports::Call& call) override;

 private:
  RedisCache(Keyspace keyspace, const ports::Clock& clock) : keyspace_(std::move(keyspace)), clock_(clock) {}
  std::string key_for(std::string_view key) const;
  Result<Reply> request(ports::Call& call, const std::string& redis_key, Commands command);

  Keyspace keyspace_;
  const ports::Clock& clock_;
};

}  // namespace kbase::redis
