// SPDX-License-Identifier: Apache-2.0
#include "adapters/redis/rate_limit_store.hpp"

#include <cassert>
#include <vector>

#include "adapters/redis/error.hpp"

namespace kbase::redis {
namespace {

using ports::Call;
using ports::Take;
using ports::Taken;

std::string key_of(const std::string& prefix, const model::Subject& subject) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string key = prefix + "rl:";
  for (const std::uint8_t byte : subject) {
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

model::Status RedisRateLimitStore::take(Call& call, std::span<const Take* const> takes, std::span<Taken* const> taken) {
  assert(takes.size() == taken.size());
  const Patience patience(call, clock_);
  std::optional<model::Instant> now;
  if (time_ == Options::TimeOf::Caller) now = clock_.now();
  std::vector<Errand> errands(takes.size());
  std::vector<Errand*> open;
  for (std::size_t i = 0; i < takes.size(); ++i) {
    errands[i].key = key_of(keyspace_.prefix(), takes[i]->subject);
    errands[i].command = script_.call(TakeScript::Form::ByDigest, errands[i].key, *takes[i], now);
    open.push_back(&errands[i]);
  }
  if (auto asked = keyspace_.run(open, patience); !asked) return asked;

  open.clear();
  for (std::size_t i = 0; i < takes.size(); ++i) {
    if (!errands[i].reply.is_error("NOSCRIPT")) continue;
    errands[i].command = script_.call(TakeScript::Form::Whole, errands[i].key, *takes[i], now);
    open.push_back(&errands[i]);
  }
  if (auto asked = keyspace_.run(open, patience); !asked) return asked;

  for (std::size_t i = 0; i < takes.size(); ++i) {
    const auto answer = TakeScript::taken_of(errands[i].reply);
    if (!answer) return unexpected(errands[i].server->endpoint(), "the script of a take");
    *taken[i] = *answer;
  }
  return {};
}

model::Status RedisRateLimitStore::health(Call& call) {
  return keyspace_.health(Patience(call, clock_));
}

}  // namespace kbase::redis
