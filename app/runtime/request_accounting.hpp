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
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "app/runtime/log_throttle.hpp"
#include "ports/driven/api_key_store.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/crypto.hpp"
#include "ports/driven/event_log.hpp"
#include "ports/driven/metrics.hpp"
#include "ports/driving/access.hpp"

namespace kbase::runtime {

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
