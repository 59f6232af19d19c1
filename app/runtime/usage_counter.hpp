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

/// Counts requests by key and UTC day, and brings the counts to the store from time to time: a killed process loses
/// those since the last time. What the store refuses waits for the next time; an add whose answer got lost is added
/// again, for a report of use may err upwards where a quota may not. Days that are older than the report goes back are
/// dropped from the store.
class UsageCounter {
 public:
  /// All outlive it.
  UsageCounter(ports::ApiKeyStore& store, const ports::Clock& clock, ports::EventLog& log)
      : store_(store), clock_(clock), log_(log) {}

  /// Any thread.
  void count(std::string_view key, model::Day day);

  /// One thread at a time, for kTimeout at most. A store that keeps no usage is no failure: what was counted is
  /// dropped.
  model::Status flush();

  /// The last flush of the process: what the store refuses now is lost, and the log says how much. As flush.
  model::Status finish();

  /// How far the report goes back: over a year, so that each month can be set beside the same one a year before.
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
  Counts waiting_;  // the flushing thread's
  model::Day forgotten_before_ = model::Day::min();
  bool in_trouble_ = false;
};

}  // namespace kbase::runtime
