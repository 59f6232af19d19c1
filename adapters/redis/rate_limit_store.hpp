// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/redis/channel.hpp"
#include "adapters/redis/topology.hpp"
#include "domain/model/day.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/rate_limit_store.hpp"

namespace kbase::redis {

struct Options : KeyspaceOptions {
  /// Clock of the rate-limit windows. Server: the clock of Redis, the same for all processes. Caller: ports::Clock,
  /// which tests can set; exact only for a single process, because the clocks of several never agree.
  enum class ClockSource { Server, Caller };
  ClockSource clock_source = ClockSource::Server;
};

/// A Lua script on one key. The server runs it atomically.
class Script {
 public:
  /// `text` must outlive the script.
  explicit Script(std::string_view text);

  std::string_view text() const { return text_; }

  enum class Form {
    ByDigest,  ///< EVALSHA; a server that does not know the script replies NOSCRIPT and does nothing
    FullText,  ///< EVAL with the text, which the server then caches
  };
  Commands build_command(Form form, std::string_view key, std::initializer_list<std::string_view> arguments) const;

 private:
  const std::string_view text_;
  const std::string digest_;  // hexadecimal SHA-1, the name of the script for EVALSHA
};

/// Lua script of RateLimitStore::acquire.
class AcquireScript {
 public:
  AcquireScript();

  static std::string_view text();

  /// Returns the command. `now`: time of the caller, used instead of the server's clock.
  Commands build_command(Script::Form form, std::string_view key, const ports::AcquireRequest& request,
                         std::optional<model::Instant> now) const;

  /// Parses the reply. Nullopt: not a reply of this script.
  static std::optional<ports::Decision> parse_decision(const Reply& reply);

 private:
  Script script_;
};

/// Lua script of RateLimitStore::adjust: corrects the usage of a day.
class AdjustScript {
 public:
  AdjustScript();

  /// Returns the command that adds `difference` (negative: subtracts) to the usage of the day that ends at `day_end`.
  Commands build_command(Script::Form form, std::string_view key, model::Instant day_end,
                         std::int64_t difference) const;

  static bool is_valid_reply(const Reply& reply) { return reply.kind == Reply::Kind::Integer; }

 private:
  Script script_;
};

/// Rate limiter shared by several processes, in a Redis: a single server, the primary that sentinels name, or a
/// cluster.
///
/// Acquire and adjust each run one script per request. A script is sent again only if the server reported that it
/// charged nothing: it does not know the script, or does not own the key. The requests of one call are pipelined. A
/// call ends at its deadline. Opening a connection can take up to one second and continue over several calls.
class RedisRateLimitStore final : public ports::RateLimitStore {
 public:
  /// Connects on first use. InvalidArgument: an option is not valid. `clock` must outlive the store.
  static Result<std::unique_ptr<RedisRateLimitStore>> open(const Options& options, const ports::Clock& clock);

  Capabilities capabilities() const override { return {.inline_calls = false, .shared = true}; }
  Status acquire(ports::Call& call, std::span<const ports::AcquireRequest* const> requests,
                 std::span<ports::Decision* const> decisions) override;
  Status adjust(ports::Call& call, const ports::AcquireRequest& request, const ports::Decision& decision,
                std::uint32_t used) override;

  /// See Keyspace::health.
  Status health(ports::Call& call) override;

 private:
  RedisRateLimitStore(Keyspace keyspace, Options::ClockSource clock_source, const ports::Clock& clock);

  template <class Command>
  Status run(std::span<KeyedCommand> keyed_commands, const Command& command, const ports::Call& call);

  Keyspace keyspace_;
  const Options::ClockSource clock_source_;
  const ports::Clock& clock_;
  const AcquireScript acquire_script_;
  const AdjustScript adjust_script_;
};

}  // namespace kbase::redis
