// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "adapters/redis/keyspace.hpp"
#include "ports/driven/cache.hpp"
#include "ports/driven/clock.hpp"

namespace kbase::redis {

/// The cache that several processes share, in a Redis, whose maxmemory bounds it. With each value stands a checksum of
/// it and its key, so that what anybody else wrote there is a miss. A value's life ends by the clock of Redis and by
/// that of whoever reads it: where machines disagree about the time, values live shorter.
///
/// A value that is replaced while the Redis is full or away stays until its time ends. Callers whose keys name the
/// revision of what they keep never see it.
///
/// A caller who gives up takes what it wanted to put along. Where the Redis is silent, a connection keeps what was sent
/// last, a MiB or one larger value, until it is given up two seconds later.
class RedisCache final : public ports::Cache {
 public:
  /// InvalidArgument: an option that cannot be. `clock` outlives the cache.
  static model::Result<std::unique_ptr<RedisCache>> open(const KeyspaceOptions& options, const ports::Clock& clock);

  model::Result<bool> get(ports::Call& call, std::string_view key, model::Visitor<std::string_view> visitor) override;
  model::Status put(ports::Call& call, std::string_view key, std::string_view value,
                    std::chrono::milliseconds time_to_live) override;
  model::Status erase(ports::Call& call, std::string_view key) override;

  /// As that of Keyspace.
  model::Status health(ports::Call& call) override;

 private:
  RedisCache(Keyspace keyspace, const ports::Clock& clock) : keyspace_(std::move(keyspace)), clock_(clock) {}
  std::string place_of(std::string_view key) const;
  model::Result<Reply> ask(ports::Call& call, const std::string& place, Commands command);

  Keyspace keyspace_;
  const ports::Clock& clock_;
};

}  // namespace kbase::redis
