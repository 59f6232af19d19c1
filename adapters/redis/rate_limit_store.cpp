// SPDX-License-Identifier: Apache-2.0
#include "adapters/redis/rate_limit_store.hpp"

#include <openssl/evp.h>
#include <array>
#include <cassert>
#include <chrono>
#include <new>
#include <string>
#include <vector>

#include "adapters/redis/acquire_lua.hpp"
#include "adapters/redis/adjust_lua.hpp"
#include "adapters/redis/channel.hpp"
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

std::string hex_sha1(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned size = 0;
  if (EVP_Digest(text.data(), text.size(), bytes.data(), &size, EVP_sha1(), nullptr) != 1) throw std::bad_alloc();
  return to_hex({bytes.data(), size});
}

std::uint32_t to_count(const Reply& reply) { return static_cast<std::uint32_t>(reply.integer); }

model::Instant to_instant(const Reply& reply) { return model::Instant(std::chrono::milliseconds(reply.integer)); }

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
  KBASE_TRY(run(keyed_commands, command, call));

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
  KBASE_TRY(run(keyed_commands, command, call));
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
  KBASE_TRY(keyspace_.run(open, timeout));

  open.clear();
  for (std::size_t i = 0; i < keyed_commands.size(); ++i) {
    if (!keyed_commands[i].reply.is_error("NOSCRIPT")) continue;
    keyed_commands[i].command = command(i, Script::Form::FullText);
    open.push_back(&keyed_commands[i]);
  }
  return keyspace_.run(open, timeout);
}

Status RedisRateLimitStore::health(Call& call) { return keyspace_.health(Timeout(call, clock_)); }

Script::Script(std::string_view text) : text_(text), digest_(hex_sha1(text)) {}

Commands Script::build_command(Form form, std::string_view key,
                               std::initializer_list<std::string_view> arguments) const {
  const bool is_full_text = form == Form::FullText;
  std::vector<std::string_view> words{is_full_text ? "EVAL" : "EVALSHA",
                                      is_full_text ? text_ : std::string_view(digest_), "1", key};
  words.insert(words.end(), arguments.begin(), arguments.end());
  Commands commands;
  commands.add(words);
  return commands;
}

AcquireScript::AcquireScript() : script_(kAcquireLua) {}

std::string_view AcquireScript::text() { return kAcquireLua; }

Commands AcquireScript::build_command(Script::Form form, std::string_view key, const ports::AcquireRequest& request,
                                      std::optional<model::Instant> now) const {
  const std::string cost = std::to_string(request.is_charge() ? request.cost : 0);
  const std::string per_minute = std::to_string(request.limits.per_minute);
  const std::string per_day = std::to_string(request.limits.per_day);
  if (!now) return script_.build_command(form, key, {cost, per_minute, per_day});
  return script_.build_command(form, key, {cost, per_minute, per_day, std::to_string(now->time_since_epoch().count())});
}

std::optional<ports::Decision> AcquireScript::parse_decision(const Reply& reply) {
  if (reply.elements.size() != 5) return std::nullopt;
  ports::Decision decision;
  decision.allowed = reply.elements[0].integer == 1;
  decision.minute = {to_count(reply.elements[1]), to_instant(reply.elements[2])};
  decision.day = {to_count(reply.elements[3]), to_instant(reply.elements[4])};
  return decision;
}

AdjustScript::AdjustScript() : script_(kAdjustLua) {}

Commands AdjustScript::build_command(Script::Form form, std::string_view key, model::Instant day_end,
                                     std::int64_t difference) const {
  const auto day = model::day_of(day_end - std::chrono::milliseconds(1)).time_since_epoch().count();
  return script_.build_command(form, key, {std::to_string(day), std::to_string(difference)});
}

}  // namespace kbase::redis
