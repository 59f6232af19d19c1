// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "ports/driven/cache.hpp"
#include "ports/driven/clock.hpp"

namespace kbase::memory {

struct CacheOptions {
  /// Maximum memory for keys, values and an overhead of about 200 bytes per entry. Evicts the least recently used
  /// entries. With 16 MiB or more, the cache is split into 16 shards to reduce lock contention; then a value larger
  /// than a sixteenth is never cached.
  std::size_t max_bytes = 64U << 20U;
};

/// In-process LRU cache. Lifetimes use the steady clock. Thread-safe. Ownership: `clock` must outlive the cache. Never
/// returns an error. Contract suite: plugins/conformance/cache_suite.
class MemoryCache final : public ports::Cache {
 public:
  explicit MemoryCache(const ports::Clock& clock, CacheOptions options = {});

  Result<bool> get(ports::Call& call, std::string_view key, Visitor<std::string_view> visitor) override;
  Status put(ports::Call& call, std::string_view key, std::string_view value,
             std::chrono::milliseconds time_to_live) override;
  Status erase(ports::Call& call, std::string_view key) override;
  Status health(ports::Call& call) override;
  bool is_inline() const override { return true; }

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<const std::string> value;  // shared, so that readers keep it while it is replaced
    ports::Call::SteadyTime expires;
    std::size_t bytes = 0;
  };
  using Entries = std::list<Entry>;  // most recently used first

  struct alignas(64) Shard {
    std::mutex mutex;
    Entries entries;
    std::unordered_map<std::string_view, Entries::iterator> by_key;
    std::size_t bytes = 0;

    void erase(std::unordered_map<std::string_view, Entries::iterator>::iterator known);
  };

  Shard& shard_of(std::string_view key);

  const ports::Clock& clock_;
  std::vector<Shard> shards_;
  std::size_t max_bytes_per_shard_;
};

}  // namespace kbase::memory
