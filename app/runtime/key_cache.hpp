// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <shared_mutex>

#include "ports/driven/api_key_store.hpp"
#include "ports/driven/clock.hpp"

namespace kbase::runtime {

/// Caches key look-ups, so that most requests do not query the store. Unknown keys are cached too. A change of the
/// store's revision empties the cache. Entries stay valid for five minutes after the store was last reached, so that
/// known keys work during a short outage. Unknown keys have a separate size limit, so that a flood of invalid keys
/// costs look-ups but neither memory nor the entries of valid keys. Thread-safe.
class KeyCache final : public ports::ApiKeyStore {
 public:
  /// Both arguments must outlive the cache.
  KeyCache(ports::ApiKeyStore& store, const ports::Clock& clock) : store_(store), clock_(clock) {}

  /// Polls the store's revision; to be called once a second.
  void refresh();

  /// Empties the cache now.
  void clear();

  model::Result<std::uint64_t> revision(ports::Call& call) override { return store_.revision(call); }
  model::Result<std::optional<model::ApiKey>> find(ports::Call& call, const model::KeyDigest& digest) override;
  model::Result<std::optional<model::ApiKey>> get(ports::Call& call, std::string_view id) override {
    return store_.get(call, id);
  }
  model::Status list(ports::Call& call, model::Visitor<model::ApiKey> visitor) override {
    return store_.list(call, visitor);
  }
  model::Status create(ports::Call& call, const model::ApiKey& key) override { return store_.create(call, key); }
  model::Status update(ports::Call& call, const model::ApiKey& key) override { return store_.update(call, key); }
  model::Status add_usage(ports::Call& call, std::span<const ports::KeyUsage> usage) override {
    return store_.add_usage(call, usage);
  }
  model::Status usage(ports::Call& call, model::Day first, model::Day last,
                      model::Visitor<ports::KeyUsage> visitor) override {
    return store_.usage(call, first, last, visitor);
  }
  model::Result<std::optional<model::Day>> last_used(ports::Call& call, std::string_view id) override {
    return store_.last_used(call, id);
  }
  model::Status forget_usage(ports::Call& call, model::Day first) override { return store_.forget_usage(call, first); }
  bool has_inline_reads() const override { return store_.has_inline_reads(); }

 private:
  using Found = std::optional<model::ApiKey>;

  std::optional<Found> recall(const model::KeyDigest& digest) const;
  void remember(const model::KeyDigest& digest, const Found& found);
  void forget();

  ports::ApiKeyStore& store_;
  const ports::Clock& clock_;
  std::shared_mutex mutex_;
  std::map<model::KeyDigest, model::ApiKey> known_;
  std::set<model::KeyDigest> unknown_;
  std::uint64_t revision_ = 0;
  std::uint64_t generation_ = 0;  // counts how often the cache was emptied
  std::chrono::steady_clock::time_point reached_{};
};

}  // namespace kbase::runtime
