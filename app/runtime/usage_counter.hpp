// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "ports/driven/api_key_store.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/event_log.hpp"

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
  model::Status flush();

  /// Last flush of the process. If the store refuses it, the counts are lost; logs how many. Otherwise as flush().
  model::Status finish();

  /// Period of the report: more than a year, so that each month can be compared with the same month of the previous
  /// year.
  static constexpr std::chrono::days kKept{400};

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
  void forget_before(ports::Call& call, model::Day first);
  void say_waiting(const model::Error& error);

  ports::ApiKeyStore& store_;
  const ports::Clock& clock_;
  ports::EventLog& log_;
  std::array<Shard, kShards> shards_;
  Counts waiting_;  // only for the flushing thread
  model::Day forgotten_before_ = model::Day::min();
  bool in_trouble_ = false;
};

}  // namespace kbase::runtime
