// SPDX-License-Identifier: Apache-2.0
#include "adapters/memory/cache.hpp"

#include <algorithm>

namespace kbase::memory {
namespace {

using ports::Call;

constexpr std::size_t kShards = 16;
constexpr std::size_t kMinBytesForSharding = 16U << 20U;
constexpr std::size_t kEntryOverheadBytes = 200;  // list node, hash node and bucket, control block, allocator

// Maximum lifetime; keeps the sum with any steady time from overflowing.
constexpr std::chrono::hours kMaxLifetime{24 * 365 * 10};

}  // namespace

MemoryCache::MemoryCache(const ports::Clock& clock, CacheOptions options)
    : clock_(clock),
      shards_(options.max_bytes >= kMinBytesForSharding ? kShards : 1),
      max_bytes_per_shard_(options.max_bytes / shards_.size()) {}

MemoryCache::Shard& MemoryCache::shard_of(std::string_view key) {
  return shards_[(std::hash<std::string_view>{}(key) >> 48U) % shards_.size()];  // the hash tables use the low bits
}

void MemoryCache::Shard::erase(std::unordered_map<std::string_view, Entries::iterator>::iterator known) {
  const Entries::iterator entry = known->second;
  bytes -= entry->bytes;
  by_key.erase(known);  // erase before the entry, because the key is a view of it
  entries.erase(entry);
}

Result<bool> MemoryCache::get(Call&, std::string_view key, Visitor<std::string_view> visitor) {
  std::shared_ptr<const std::string> value;
  {
    Shard& shard = shard_of(key);
    const std::lock_guard lock(shard.mutex);
    const auto known = shard.by_key.find(key);
    if (known == shard.by_key.end()) return false;
    if (known->second->expires <= clock_.steady()) {
      shard.erase(known);
      return false;
    }
    shard.entries.splice(shard.entries.begin(), shard.entries, known->second);
    value = known->second->value;
  }
  visitor(*value);
  return true;
}

Status MemoryCache::put(Call&, std::string_view key, std::string_view value, std::chrono::milliseconds time_to_live) {
  const auto expires = clock_.steady() + std::min<std::chrono::milliseconds>(time_to_live, kMaxLifetime);
  const std::size_t bytes = key.size() + value.size() + kEntryOverheadBytes;
  Entry entry{std::string(key), nullptr, expires, bytes};
  if (bytes <= max_bytes_per_shard_) entry.value = std::make_shared<const std::string>(value);

  Shard& shard = shard_of(key);
  const std::lock_guard lock(shard.mutex);
  if (const auto known = shard.by_key.find(key); known != shard.by_key.end()) shard.erase(known);
  if (entry.value == nullptr) return {};
  while (shard.bytes + bytes > max_bytes_per_shard_) shard.erase(shard.by_key.find(shard.entries.back().key));
  shard.entries.push_front(std::move(entry));
  shard.by_key.emplace(shard.entries.front().key, shard.entries.begin());
  shard.bytes += bytes;
  return {};
}

Status MemoryCache::erase(Call&, std::string_view key) {
  Shard& shard = shard_of(key);
  const std::lock_guard lock(shard.mutex);
  if (const auto known = shard.by_key.find(key); known != shard.by_key.end()) shard.erase(known);
  return {};
}

Status MemoryCache::health(Call&) { return {}; }

}  // namespace kbase::memory
