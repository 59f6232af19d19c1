// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <optional>

#include "app/runtime/index_follower.hpp"
#include "app/runtime/server_readiness.hpp"
#include "app/runtime/service_probes.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/event_log.hpp"

namespace kbase::runtime {

/// Keeps the index up to date while a server runs. What stands in its way is said once and tells on Service::Indexing;
/// it is tried again ever more seldom: a full disk gets no emptier by being filled five times a second. That another
/// process feeds the index stands in nobody's way, and is said where it takes long.
class IndexUpdater {
 public:
  /// All outlive it.
  struct Parts {
    ports::ItemStore& items;
    ports::SearchIndex& index;
    ServiceProbes& probes;
    ServerReadiness& readiness;
    const ports::Clock& clock;
    ports::EventLog& log;
    FeedingLease* lease = nullptr;  ///< the right to feed an index that several servers share; null: nobody else can
  };
  explicit IndexUpdater(const Parts& parts);

  /// Does what there is to do now. One thread.
  void keep();

  /// Lets a store that can tell of a change do so, for as long as it is not worth looking by oneself; others are asked
  /// again at once. The thread that keeps.
  void await_change();

  /// Ends what is under way soon, and for good. Any thread.
  void stop() noexcept { stopping_ = true; }

 private:
  void say_rebuild(const IndexFollower::Reason& reason);
  void is_behind(const model::Error& trouble);
  void follows(IndexFollower::Outcome outcome);
  void is_anothers_turn();

  const Parts parts_;
  IndexFollower follower_;
  std::atomic<bool> stopping_ = false;
  std::chrono::milliseconds pause_{0};  // after a failure; zero: the index follows
  std::chrono::steady_clock::time_point again_{};
  std::optional<std::chrono::steady_clock::time_point> others_since_;  // the others' turn; nullopt: it is not
  bool others_said_ = false;
};

}  // namespace kbase::runtime
