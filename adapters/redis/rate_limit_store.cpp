// SPDX-License-Identifier: Apache-2.0
#include "adapters/redis/rate_limit_store.hpp"

#include <cassert>
#include <vector>

#include "adapters/redis/error.hpp"

namespace kbase::redis {
namespace {

using ports::AcquireRequest;
using ports::Call;
using ports::Decision;

std::string key_of(const std::string& prefix, const model::ClientId& client_id) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string key = prefix + "rl:";
  for (const std::uint8_t byte : client_id) {
    key += kDigits[byte / 16];
    key += kDigits[byte % 16];
  }
  return key;
}

}  // namespace

model::Result<std::unique_ptr<RedisRateLimitStore>> RedisRateLimitStore::open(const Options& options,
                                                                              const ports::Clock& clock) {
  auto keyspace = Keyspace::open(options, clock);
  if (!keyspace) return keyspace.error();
  return std::unique_ptr<RedisRateLimitStore>(new RedisRateLimitStore(*std::move(keyspace), options.time, clock));
}

RedisRateLimitStore::RedisRateLimitStore(Keyspace keyspace, Options::TimeOf time, const ports::Clock& clock)
    : keyspace_(std::move(keyspace)), time_(time), clock_(clock) {}

model::Status RedisRateLimitStore::acquire(Call& call, std::span<const AcquireRequest* const> requests,
                                           std::span<Decision* const> decisions) {
  assert(requests.size() == decisions.size());
  std::optional<model::Instant> now;
  if (time_ == Options::TimeOf::Caller) now = clock_.now();
  std::vector<Errand> errands(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) errands[i].key = key_of(keyspace_.prefix(), requests[i]->client_id);
  const auto command = [&](std::size_t i, Script::Form form) {
    return take_script_.call(form, errands[i].key, *requests[i], now);
  };
  if (auto asked = run(errands, command, call); !asked) return asked;

  for (std::size_t i = 0; i < requests.size(); ++i) {
    const auto answer = AcquireScript::taken_of(errands[i].reply);
    if (!answer) return unexpected(errands[i].server->endpoint(), "the script of a take");
    *decisions[i] = *answer;
  }
  return {};
}

model::Status RedisRateLimitStore::adjust(Call& call, const AcquireRequest& request, const Decision& decision,
                                          std::uint32_t used) {
  const std::int64_t more = ports::correction(request, decision, used);
  if (more == 0) return {};
  std::vector<Errand> errands(1);
  Errand& errand = errands.front();
  errand.key = key_of(keyspace_.prefix(), request.client_id);
  const auto command = [&](std::size_t, Script::Form form) {
    return adjust_script_.call(form, errand.key, decision.day.reset, more);
  };
  if (auto asked = run(errands, command, call); !asked) return asked;
  if (!AdjustScript::is_answer(errand.reply))
    return unexpected(errand.server->endpoint(), "the script of a settlement");
  return {};
}

/// Runs a script for each command: first by digest, then with its text on servers that replied NOSCRIPT.
template <class Command>
model::Status RedisRateLimitStore::run(std::span<Errand> errands, const Command& command, const Call& call) {
  const Timeout timeout(call, clock_);
  std::vector<Errand*> open;
  for (std::size_t i = 0; i < errands.size(); ++i) {
    errands[i].command = command(i, Script::Form::ByDigest);
    open.push_back(&errands[i]);
  }
  if (auto asked = keyspace_.run(open, timeout); !asked) return asked;

  open.clear();
  for (std::size_t i = 0; i < errands.size(); ++i) {
    if (!errands[i].reply.is_error("NOSCRIPT")) continue;
    errands[i].command = command(i, Script::Form::Whole);
    open.push_back(&errands[i]);
  }
  return keyspace_.run(open, timeout);
}

model::Status RedisRateLimitStore::health(Call& call) {
  return keyspace_.health(Timeout(call, clock_));
}

}  // namespace kbase::redis
