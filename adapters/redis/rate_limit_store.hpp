// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "adapters/redis/acquire_script.hpp"
#include "adapters/redis/adjust_script.hpp"
#include "adapters/redis/keyspace.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/rate_limit_store.hpp"

namespace kbase::redis {

struct Options : KeyspaceOptions {
  /// Whose clock tells the windows. Server: that of Redis, the same for all who count together. Caller: ports::Clock,
  /// which a suite can move, and exact for one process alone: clocks of several never agree.
  enum class TimeOf { Server, Caller };
  TimeOf time = TimeOf::Server;
};

/// The rate limiter that several processes share, in a Redis: one server, the primary that sentinels name, or a
/// cluster.
///
/// A take, as a settlement, is one call of a script. It is sent a second time only where the server said that it has
/// charged nothing, since it does not know the script or does not keep the key. Takes of one call are pipelined. A take
/// ends with its call's deadline; a connection is opened within a second, over as many calls as that takes.
class RedisRateLimitStore final : public ports::RateLimitStore {
 public:
  /// Connects when it is first asked. InvalidArgument: an option that cannot be. `clock` outlives the store.
  static model::Result<std::unique_ptr<RedisRateLimitStore>> open(const Options& options, const ports::Clock& clock);

  Capabilities capabilities() const override { return {.inline_calls = false, .shared = true}; }
  model::Status acquire(ports::Call& call, std::span<const ports::AcquireRequest* const> requests,
                        std::span<ports::Decision* const> decisions) override;
  model::Status adjust(ports::Call& call, const ports::AcquireRequest& request, const ports::Decision& decision,
                       std::uint32_t used) override;

  /// As that of Keyspace.
  model::Status health(ports::Call& call) override;

 private:
  RedisRateLimitStore(Keyspace keyspace, Options::TimeOf time, const ports::Clock& clock);

  template <class Command>
  model::Status run(std::span<Errand> errands, const Command& command, const ports::Call& call);

  Keyspace keyspace_;
  const Options::TimeOf time_;
  const ports::Clock& clock_;
  const AcquireScript take_script_;
  const AdjustScript adjust_script_;
};

}  // namespace kbase::redis
