// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/runtime/log_throttle.hpp"
#include "domain/base/function_ref.hpp"
#include "domain/base/result.hpp"
#include "ports/driven/api_key_store.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/crypto.hpp"
#include "ports/driven/event_log.hpp"
#include "ports/driven/metrics.hpp"
#include "ports/driven/server_state.hpp"
#include "ports/driving/access.hpp"

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
  bool has_accounts() const override { return store_.has_accounts(); }
  Status list_of(ports::Call& call, std::string_view account, Visitor<model::ApiKey> visitor) override {
    return store_.list_of(call, account, visitor);
  }
  Status usage_of(ports::Call& call, std::string_view id, model::Day first, model::Day last,
                  Visitor<ports::KeyUsage> visitor) override {
    return store_.usage_of(call, id, first, last, visitor);
  }
  Status remove(ports::Call& call, std::string_view id) override { return store_.remove(call, id); }
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

  // Changes through the cache take effect in this process at once.
  Status create(ports::Call& call, const model::ApiKey& key) override {
    return cleared_after(store_.create(call, key));
  }
  Status update(ports::Call& call, const model::ApiKey& key) override {
    return cleared_after(store_.update(call, key));
  }
  Status remove(ports::Call& call, std::string_view id) override { return cleared_after(store_.remove(call, id)); }

 private:
  using KeyOrNone = std::optional<model::ApiKey>;

  Status cleared_after(Status changed) {
    clear();
    return changed;
  }
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

/// Counts requests by key and UTC day and periodically writes the counts to the store. A killed process loses the
/// counts since the last write. Counts that the store refuses are kept for the next write. If the result of a write is
/// lost, the counts are added again: a usage report may be too high, unlike a quota. Deletes days from the store that
/// are older than the report covers.
class UsageCounter {
 public:
  /// All arguments must outlive this object.
  UsageCounter(ports::ApiKeyStore& store, const ports::Clock& clock, ports::EventLog& log)
      : store_(store), clock_(clock), log_(log) {}

  /// Thread-safe.
  void count(std::string_view key, model::Day day);

  /// Writes the counts to the store; blocks for at most kTimeout. If the store does not support usage counts, drops
  /// them and succeeds. One thread at a time.
  Status flush();

  /// Last flush of the process. If the store refuses it, the counts are lost; logs how many. Otherwise as flush().
  Status finish();

  /// Period of the report: more than a year, so that each month can be compared with the same month of the previous
  /// year.
  static constexpr std::chrono::days kRetention{400};

  static constexpr std::chrono::seconds kTimeout{5};

 private:
  static constexpr std::size_t kShards = 16;
  using Days = std::map<model::Day, std::uint64_t>;
  using Counts = std::map<std::string, Days, std::less<>>;

  struct alignas(64) Shard {
    std::mutex mutex;
    Counts counts;
  };

  void collect();
  void delete_before(ports::Call& call, model::Day first);

  ports::ApiKeyStore& store_;
  const ports::Clock& clock_;
  ports::EventLog& log_;
  std::array<Shard, kShards> shards_;
  Counts pending_;  // only for the flushing thread
  model::Day deleted_before_ = model::Day::min();
  FailureStreak failures_{"keys.usage_waiting"};
};

/// Counts admitted requests: by plan for monitoring, and by key and day for the usage report. Includes requests that a
/// fallback allowed without charging while the rate limiter was unavailable. Thread-safe.
class CountedAccess final : public ports::Access {
 public:
  /// All members must outlive this object.
  struct Dependencies {
    ports::Access& access;
    UsageCounter& usage;
    ports::Metrics& metrics;
    const ports::Clock& clock;
  };
  explicit CountedAccess(const Dependencies& deps) : deps_(deps) {}

  ports::Admission admit(ports::Call& call, const ports::Client& client, ports::AcquireRequest::Mode mode) override;
  ports::Admission admission_without_charge(const ports::Client& client) const override {
    return deps_.access.admission_without_charge(client);
  }
  bool is_inline(std::optional<std::string_view> credential) const override {
    return deps_.access.is_inline(credential);
  }

 private:
  using PlanCounters = std::array<ports::Counter*, 2>;  // by client kind: address, key

  /// Returns the counters of `plan`, creating them on first use. There is one entry for each plan ever configured.
  const PlanCounters& find_or_create_counters(const std::string& plan);

  Dependencies deps_;
  std::shared_mutex mutex_;
  std::map<std::string, PlanCounters> by_plan_;  // entries are never removed, so references stay valid
};

/// Remembers each client's last reported quota, for responses that must not query a store (docs/guide/rate-limits.md).
/// A table of fixed size in which a new client overwrites the previous one in its slot, so it neither grows nor
/// allocates. A client without an entry is shown full limits. Thread-safe.
class LastQuota final : public ports::Access {
 public:
  /// `access` and `clock` must outlive this object.
  LastQuota(ports::Access& access, const ports::Clock& clock, ports::Random& random);

  ports::Admission admit(ports::Call& call, const ports::Client& client, ports::AcquireRequest::Mode mode) override;
  ports::Admission admission_without_charge(const ports::Client& client) const override;
  bool is_inline(std::optional<std::string_view> credential) const override { return access_.is_inline(credential); }

 private:
  static constexpr std::size_t kShards = 64;
  static constexpr std::size_t kEntriesPerShard = 64;

  /// Seeded 128-bit hash of a key's text or an address; the text itself is not kept.
  struct ClientHash {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    bool operator==(const ClientHash&) const = default;
  };
  struct Entry {
    ClientHash client;
    model::ClientId client_id{};
    model::Limits limits;
    model::WindowState minute;
    model::WindowState day;
    bool has_key = false;
  };
  struct alignas(64) Shard {
    std::mutex mutex;
    std::array<Entry, kEntriesPerShard> entries;
  };

  ClientHash hash_client(std::string_view text) const noexcept;
  void store_quota(const ports::Client& client, const ports::Admission& admission);
  std::optional<ports::Admission> find_admission(std::string_view text) const;

  ports::Access& access_;
  const ports::Clock& clock_;
  std::uint64_t seed_ = 0;
  mutable std::vector<Shard> shards_{kShards};
};

}  // namespace kbase::runtime
