// SPDX-License-Identifier: Apache-2.0
#include "adapters/redis/cache.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cstdint>

#include "domain/base/result.hpp"

namespace kbase::redis {
namespace {

/// Well below the maximum size of a reply: a value that could not be read back is not stored.
constexpr std::size_t kMaxValueBytes = std::size_t{32} << 20;

/// Maximum time to live; longer ones are reduced to it. Redis rejects times that its clock cannot express.
constexpr std::chrono::milliseconds kMaxLifetime = std::chrono::hours(24 * 366);

/// Header of a value: a checksum of everything after it, seeded with the hash of the key, and the end of the value's
/// life in milliseconds since 1970. Both are big-endian.
constexpr std::size_t kChecksumBytes = 8;
constexpr std::size_t kHeaderBytes = kChecksumBytes + 8;

std::string encode_number(std::uint64_t number) {
  std::string bytes(8, '\0');
  for (std::size_t i = 8; i-- > 0; number >>= 8U) bytes[i] = static_cast<char>(number & 0xFFU);
  return bytes;
}

std::string compute_checksum(std::string_view key, std::string_view rest) {
  return encode_number(XXH3_64bits_withSeed(rest.data(), rest.size(), XXH3_64bits(key.data(), key.size())));
}

/// Encodes a time. The byte order of the result is the order of time, because wall clocks are after 1970.
std::string encode_time(model::Instant instant) {
  return encode_number(static_cast<std::uint64_t>(instant.time_since_epoch().count()));
}

}  // namespace

Result<std::unique_ptr<RedisCache>> RedisCache::open(const KeyspaceOptions& options, const ports::Clock& clock) {
  auto keyspace = KBASE_TRY(Keyspace::open(options, clock));
  return std::unique_ptr<RedisCache>(new RedisCache(std::move(keyspace), clock));
}

std::string RedisCache::key_for(std::string_view key) const { return keyspace_.prefix() + "cache:" + std::string(key); }

Result<Reply> RedisCache::request(ports::Call& call, const std::string& redis_key, Commands command) {
  KeyedCommand keyed{redis_key, std::move(command)};
  KeyedCommand* const keyed_commands[] = {&keyed};
  KBASE_TRY(keyspace_.run(keyed_commands, Timeout(call, clock_)));
  return std::move(keyed.reply);
}

Result<bool> RedisCache::get(ports::Call& call, std::string_view key, Visitor<std::string_view> visitor) {
  const std::string redis_key = key_for(key);
  Commands command;
  command.add({"GET", redis_key});
  const auto reply = KBASE_TRY(request(call, redis_key, std::move(command)));
  const std::string_view stored = reply.text;
  if (reply.kind != Reply::Kind::Text || stored.size() < kHeaderBytes) return false;
  if (stored.substr(0, kChecksumBytes) != compute_checksum(key, stored.substr(kChecksumBytes))) return false;
  if (stored.substr(kChecksumBytes, kHeaderBytes - kChecksumBytes) <= encode_time(clock_.now())) {
    // Erase the value, so that a clock that steps back does not make it valid again.
    KBASE_TRY(erase(call, key));
    return false;
  }
  visitor(stored.substr(kHeaderBytes));
  return true;
}

Status RedisCache::put(ports::Call& call, std::string_view key, std::string_view value,
                       std::chrono::milliseconds time_to_live) {
  if (value.size() > kMaxValueBytes) return erase(call, key);
  const std::string redis_key = key_for(key);
  const std::chrono::milliseconds lifetime = std::min(time_to_live, kMaxLifetime);
  std::string rest = encode_time(clock_.now() + lifetime);
  rest += value;
  Commands command;
  command.add({"SET", redis_key, compute_checksum(key, rest) + rest, "PX", std::to_string(lifetime.count())});
  const auto reply = request(call, redis_key, std::move(command));
  return reply ? Status() : reply.error();
}

Status RedisCache::erase(ports::Call& call, std::string_view key) {
  const std::string redis_key = key_for(key);
  Commands command;
  command.add({"DEL", redis_key});
  const auto reply = request(call, redis_key, std::move(command));
  return reply ? Status() : reply.error();
}

Status RedisCache::health(ports::Call& call) { return keyspace_.health(Timeout(call, clock_)); }

}  // namespace kbase::redis
