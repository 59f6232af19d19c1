// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

#include "domain/base/function_ref.hpp"
#include "domain/base/result.hpp"
#include "ports/driven/api_key_store.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/plan_registry.hpp"

namespace kbase::runtime {

/// The configured plans, replaced as a whole by a reload. Thread-safe.
class PlanTable final : public ports::PlanRegistry {
 public:
  explicit PlanTable(std::vector<model::Plan> plans, std::vector<model::OriginPlan> origins = {})
      : plans_(std::move(plans)), origins_(std::move(origins)) {}

  std::optional<model::Plan> find(std::string_view name) const override {
    const std::lock_guard lock(mutex_);
    for (const model::Plan& plan : plans_)
      if (plan.name == name) return plan;
    return std::nullopt;
  }

  std::vector<std::string> names() const override {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> names;
    for (const model::Plan& plan : plans_) names.push_back(plan.name);
    return names;
  }

  std::optional<std::string> find_by_origin(std::string_view origin) const override {
    const std::lock_guard lock(mutex_);
    for (const model::OriginPlan& known : origins_)
      if (known.origin == origin) return known.plan;
    return std::nullopt;
  }

  void replace(std::vector<model::Plan> plans, std::vector<model::OriginPlan> origins) {
    const std::lock_guard lock(mutex_);
    plans_ = std::move(plans);
    origins_ = std::move(origins);
  }

 private:
  mutable std::mutex mutex_;
  std::vector<model::Plan> plans_;
  std::vector<model::OriginPlan> origins_;
};

/// Forwards every call to another key store; base of the stores below.
class ForwardingKeyStore : public ports::ApiKeyStore {
 public:
  /// `store` must outlive this object.
  explicit ForwardingKeyStore(ports::ApiKeyStore& store) : store_(store) {}

  Result<std::uint64_t> revision(ports::Call& call) override { return store_.revision(call); }
  Result<std::optional<model::ApiKey>> find(ports::Call& call, const model::KeyDigest& digest) override {
    return store_.find(call, digest);
  }
  Result<std::optional<model::ApiKey>> get(ports::Call& call, std::string_view id) override {
    return store_.get(call, id);
  }
  Status list(ports::Call& call, Visitor<model::ApiKey> visitor) override { return store_.list(call, visitor); }
  Status create(ports::Call& call, const model::ApiKey& key) override { return store_.create(call, key); }
  Status update(ports::Call& call, const model::ApiKey& key) override { return store_.update(call, key); }
  Status add_usage(ports::Call& call, std::span<const ports::KeyUsage> usage) override {
    return store_.add_usage(call, usage);
  }
  Status usage(ports::Call& call, model::Day first, model::Day last, Visitor<ports::KeyUsage> visitor) override {
    return store_.usage(call, first, last, visitor);
  }
  Result<std::optional<model::Day>> last_used(ports::Call& call, std::string_view id) override {
    return store_.last_used(call, id);
  }
  Status delete_usage_before(ports::Call& call, model::Day first) override {
    return store_.delete_usage_before(call, first);
  }
  bool has_inline_reads() const override { return store_.has_inline_reads(); }

 protected:
  ports::ApiKeyStore& store_;
};

/// API keys from the configuration, in front of a key store. They are found and listed together with the store's keys,
/// but can be changed only in the configuration file. Thread-safe.
class ConfiguredKeys final : public ForwardingKeyStore {
 public:
  /// `store` must outlive this object.
  ConfiguredKeys(std::vector<model::ApiKey> keys, ports::ApiKeyStore& store)
      : ForwardingKeyStore(store), keys_(std::move(keys)) {}

  Result<std::optional<model::ApiKey>> find(ports::Call& call, const model::KeyDigest& digest) override;
  Result<std::optional<model::ApiKey>> get(ports::Call& call, std::string_view id) override;
  Status list(ports::Call& call, Visitor<model::ApiKey> visitor) override;
  Status update(ports::Call& call, const model::ApiKey& key) override;

  /// Replaces the configured keys after a reload.
  void replace(std::vector<model::ApiKey> keys);

 private:
  std::vector<model::ApiKey> configured() const;

  mutable std::mutex mutex_;
  std::vector<model::ApiKey> keys_;
};

/// Caches key look-ups, so that most requests do not query the store. Unknown keys are cached too. A change of the
/// store's revision empties the cache. Entries stay valid for five minutes after the store was last reached, so that
/// known keys work during a short outage. Unknown keys have a separate size limit, so that a flood of invalid keys
/// costs look-ups but neither memory nor the entries of valid keys. Thread-safe.
class KeyCache final : public ForwardingKeyStore {
 public:
  /// Both arguments must outlive the cache.
  KeyCache(ports::ApiKeyStore& store, const ports::Clock& clock) : ForwardingKeyStore(store), clock_(clock) {}

  /// Polls the store's revision; to be called once a second.
  void refresh();

  /// Empties the cache now.
  void clear();

  Result<std::optional<model::ApiKey>> find(ports::Call& call, const model::KeyDigest& digest) override;

 private:
  using KeyOrNone = std::optional<model::ApiKey>;

  std::optional<KeyOrNone> find_cached(const model::KeyDigest& digest) const;
  void cache_result(const model::KeyDigest& digest, const KeyOrNone& found);
  void drop_entries();

  const ports::Clock& clock_;
  std::shared_mutex mutex_;
  std::map<model::KeyDigest, model::ApiKey> known_;
  std::set<model::KeyDigest> unknown_;
  std::uint64_t revision_ = 0;
  std::uint64_t generation_ = 0;  // counts how often the cache was emptied
  std::chrono::steady_clock::time_point last_contact_{};
};

/// Lists, as text, the live keys of the store whose plan is missing: "key_a (gold), key_b (gold) and 7 more". Empty:
/// every plan exists. Error: Deadline if the store does not answer within five seconds.
Result<std::string> list_keys_without_plan(ports::ApiKeyStore& store,
                                           FunctionRef<bool(const std::string& plan)> is_missing,
                                           const ports::Clock& clock);

}  // namespace kbase::runtime
