// SPDX-License-Identifier: Apache-2.0
#include "adapters/redis/rate_limit_store.hpp"

#include <cassert>
#include <vector>

#include "adapters/redis/reply.hpp"
#include "domain/base/encoding.hpp"
#include "domain/base/result.hpp"

namespace kbase::redis {
namespace {

using ports::AcquireRequest;
using ports::Call;
using ports::Decision;

std::string key_for(const std::string& prefix, const model::ClientId& client_id) {
  return prefix + "rl:" + to_hex(client_id);
}

}  // namespace

Result<std::unique_ptr<RedisRateLimitStore>> RedisRateLimitStore::open(const Options& options,
                                                                       const ports::Clock& clock) {
  auto keyspace = KBASE_TRY(Keyspace::open(options, clock));
  return std::unique_ptr<RedisRateLimitStore>(
      new RedisRateLimitStore(std::move(keyspace), options.clock_source, clock));
}

RedisRateLimitStore::RedisRateLimitStore(Keyspace keyspace, Options::ClockSource clock_source,
                                         const ports::Clock& clock)
    : keyspace_(std::move(keyspace)), clock_source_(clock_source), clock_(clock) {}

Status RedisRateLimitStore::acquire(Call& call, std::span<const AcquireRequest* const> requests,
                                    std::span<Decision* const> decisions) {
  assert(requests.size() == decisions.size());
  std::optional<model::Instant> now;
  if (clock_source_ == Options::ClockSource::Caller) now = clock_.now();
  std::vector<KeyedCommand> keyed_commands(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i)
    keyed_commands[i].key = key_for(keyspace_.prefix(), requests[i]->client_id);
  const auto command = [&](std::size_t i, Script::Form form) {
    return acquire_script_.build_command(form, keyed_commands[i].key, *requests[i], now);
  };
  if (auto sent = run(keyed_commands, command, call); !sent) return sent;

  for (std::size_t i = 0; i < requests.size(); ++i) {
    const auto answer = AcquireScript::parse_decision(keyed_commands[i].reply);
    if (!answer) return unexpected_reply_error(keyed_commands[i].server->endpoint(), "the acquire script");
    *decisions[i] = *answer;
  }
  return {};
}

Status RedisRateLimitStore::adjust(Call& call, const AcquireRequest& request, const Decision& decision,
                                   std::uint32_t used) {
  const std::int64_t difference = ports::correction(request, decision, used);
  if (difference == 0) return {};
  std::vector<KeyedCommand> keyed_commands(1);
  KeyedCommand& keyed = keyed_commands.front();
  keyed.key = key_for(keyspace_.prefix(), request.client_id);
  const auto command = [&](std::size_t, Script::Form form) {
    return adjust_script_.build_command(form, keyed.key, decision.day.reset, difference);
  };
  if (auto sent = run(keyed_commands, command, call); !sent) return sent;
  if (!AdjustScript::is_valid_reply(keyed.reply))
    return unexpected_reply_error(keyed.server->endpoint(), "the adjust script");
  return {};
}

/// Runs a script for each command: first by digest, then with its text on servers that replied NOSCRIPT.
template <class Command>
Status RedisRateLimitStore::run(std::span<KeyedCommand> keyed_commands, const Command& command, const Call& call) {
  const Timeout timeout(call, clock_);
  std::vector<KeyedCommand*> open;
  for (std::size_t i = 0; i < keyed_commands.size(); ++i) {
    keyed_commands[i].command = command(i, Script::Form::ByDigest);
    open.push_back(&keyed_commands[i]);
  }
  if (auto sent = keyspace_.run(open, timeout); !sent) return sent;

  open.clear();
  for (std::size_t i = 0; i < keyed_commands.size(); ++i) {
    if (!keyed_commands[i].reply.is_error("NOSCRIPT")) continue;
    keyed_commands[i].command = command(i, Script::Form::FullText);
    open.push_back(&keyed_commands[i]);
  }
  return keyspace_.run(open, timeout);
}

Status RedisRateLimitStore::health(Call& call) { return keyspace_.health(Timeout(call, clock_)); }

}  // namespace kbase::redis
