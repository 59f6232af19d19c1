// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "adapters/redis/take_script.hpp"
#include "adapters/redis/tls.hpp"
#include "adapters/redis/topology.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/rate_limit_store.hpp"

namespace kbase::redis {

struct Options {
  /// As Location has it. User information in it goes before `username` and `password`.
  std::string url = "redis://127.0.0.1:6379";
  std::string username;           ///< of Redis's ACL; empty: the default user
  std::string password;           ///< empty: none is sent
  std::string sentinel_username;  ///< the same at the sentinels, which have users of their own
  std::string sentinel_password;
  TlsFiles tls;  ///< where the URL says TLS
  /// To each server. Threads share them, so a few are enough; a second one is for when the first one's reader is busy.
  std::size_t connections = 2;
  /// What every key begins with, so that several services can share a Redis.
  std::string prefix = "kbase:";

  /// Whose clock tells the windows. Server: that of Redis, the same for all who count together. Caller: ports::Clock,
  /// which a suite can move, and exact for one process alone: clocks of several never agree.
  enum class TimeOf { Server, Caller };
  TimeOf time = TimeOf::Server;
};

/// The ledger that several processes share, in a Redis: one server, the primary that sentinels name, or a cluster.
///
/// A take is one call of a script. It is sent a second time only where the server said that it has charged nothing,
/// since it does not know the script or does not keep the key. Takes of one call are pipelined. A take ends with its
/// call's deadline; a connection is opened within a second, over as many calls as that takes.
class RedisRateLimitStore final : public ports::RateLimitStore {
 public:
  /// Connects when it is first asked. InvalidArgument: an option that cannot be. `clock` outlives the store.
  static model::Result<std::unique_ptr<RedisRateLimitStore>> open(const Options& options, const ports::Clock& clock);

  Capabilities capabilities() const override { return {.inline_calls = false, .shared = true}; }
  model::Status take(ports::Call& call, std::span<const ports::Take* const> takes,
                     std::span<ports::Taken* const> taken) override;

  /// Writes a key that is gone a second later to each server that takes writes: one that is full, a replica or unable
  /// to save is not healthy, though it answers.
  model::Status health(ports::Call& call) override;

 private:
  struct Question;
  struct Group;

  RedisRateLimitStore(std::unique_ptr<Topology> topology, const Options& options, const ports::Clock& clock);
  model::Result<std::vector<Group>> grouped(std::span<Question*> open, const Patience& patience);
  model::Status ask(std::span<Question*> open, std::vector<Question*>& again, const Patience& patience);
  model::Status finish(Group& group, std::vector<Question*>& again, const Patience& patience);
  model::Result<bool> judge(Question& question, const Reply& reply, const Endpoint& server);
  model::Error doubted(const model::Error& error);

  const std::unique_ptr<Topology> topology_;
  const std::string prefix_;
  const Options::TimeOf time_;
  const ports::Clock& clock_;
  const TakeScript script_;
};

}  // namespace kbase::redis
