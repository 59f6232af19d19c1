// SPDX-License-Identifier: Apache-2.0
#include "adapters/redis/cache.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cstdint>

namespace kbase::redis {
namespace {

/// Well below the maximum size of a reply: a value that could not be read back is not stored.
constexpr std::size_t kLargestValue = std::size_t{32} << 20;

/// Maximum time to live; longer ones are reduced to it. Redis rejects times that its clock cannot express.
constexpr std::chrono::milliseconds kLongestLife = std::chrono::hours(24 * 366);

/// Header of a value: a checksum of everything after it, seeded with the hash of the key, and the end of the value's
/// life in milliseconds since 1970. Both are big-endian.
constexpr std::size_t kSeal = 8;
constexpr std::size_t kHead = kSeal + 8;

std::string number_of(std::uint64_t number) {
  std::string bytes(8, '\0');
  for (std::size_t i = 8; i-- > 0; number >>= 8U) bytes[i] = static_cast<char>(number & 0xFFU);
  return bytes;
}

std::string seal_of(std::string_view key, std::string_view rest) {
  return number_of(XXH3_64bits_withSeed(rest.data(), rest.size(), XXH3_64bits(key.data(), key.size())));
}

/// Encodes a time. The byte order of the result is the order of time, because wall clocks are after 1970.
std::string time_of(model::Instant instant) {
  return number_of(static_cast<std::uint64_t>(instant.time_since_epoch().count()));
}

}  // namespace

model::Result<std::unique_ptr<RedisCache>> RedisCache::open(const KeyspaceOptions& options, const ports::Clock& clock) {
  auto keyspace = Keyspace::open(options, clock);
  if (!keyspace) return keyspace.error();
  return std::unique_ptr<RedisCache>(new RedisCache(*std::move(keyspace), clock));
}

std::string RedisCache::place_of(std::string_view key) const {
  return keyspace_.prefix() + "cache:" + std::string(key);
}

model::Result<Reply> RedisCache::ask(ports::Call& call, const std::string& place, Commands command) {
  Errand errand{place, std::move(command)};
  Errand* const errands[] = {&errand};
  if (auto asked = keyspace_.run(errands, Timeout(call, clock_)); !asked) return asked.error();
  return std::move(errand.reply);
}

model::Result<bool> RedisCache::get(ports::Call& call, std::string_view key, model::Visitor<std::string_view> visitor) {
  const std::string place = place_of(key);
  Commands command;
  command.add({"GET", place});
  const auto reply = ask(call, place, std::move(command));
  if (!reply) return reply.error();
  const std::string_view stored = reply->text;
  if (reply->kind != Reply::Kind::Text || stored.size() < kHead) return false;
  if (stored.substr(0, kSeal) != seal_of(key, stored.substr(kSeal))) return false;
  if (stored.substr(kSeal, kHead - kSeal) <= time_of(clock_.now())) {
    // Erase the value, so that a clock that steps back does not make it valid again.
    if (auto erased = erase(call, key); !erased) return erased.error();
    return false;
  }
  visitor(stored.substr(kHead));
  return true;
}

model::Status RedisCache::put(ports::Call& call, std::string_view key, std::string_view value,
                              std::chrono::milliseconds time_to_live) {
  if (value.size() > kLargestValue) return erase(call, key);
  const std::string place = place_of(key);
  const std::chrono::milliseconds life = std::min(time_to_live, kLongestLife);
  std::string rest = time_of(clock_.now() + life);
  rest += value;
  Commands command;
  command.add({"SET", place, seal_of(key, rest) + rest, "PX", std::to_string(life.count())});
  const auto reply = ask(call, place, std::move(command));
  return reply ? model::Status() : reply.error();
}

model::Status RedisCache::erase(ports::Call& call, std::string_view key) {
  const std::string place = place_of(key);
  Commands command;
  command.add({"DEL", place});
  const auto reply = ask(call, place, std::move(command));
  return reply ? model::Status() : reply.error();
}

model::Status RedisCache::health(ports::Call& call) {
  return keyspace_.health(Timeout(call, clock_));
}

}  // namespace kbase::redis
