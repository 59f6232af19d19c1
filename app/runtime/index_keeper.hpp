// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>

#include "app/runtime/index_follower.hpp"
#include "app/runtime/server_readiness.hpp"
#include "app/runtime/service_probes.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/event_log.hpp"

namespace kbase::runtime {

/// Keeps the index up to date while a server runs. What stands in its way is said once and tells on Service::Indexing;
/// it is tried again ever more seldom: a full disk gets no emptier by being filled five times a second. That another
/// process feeds the index stands in nobody's way.
class IndexKeeper {
 public:
  /// All outlive it.
  struct Parts {
    ports::ItemStore& items;
    ports::SearchIndex& index;
    ServiceProbes& probes;
    ServerReadiness& readiness;
    const ports::Clock& clock;
    ports::EventLog& log;
  };
  explicit IndexKeeper(const Parts& parts);

  /// Does what there is to do now. One thread.
  void keep();

  /// Ends what is under way soon, and for good. Any thread.
  void stop() noexcept { stopping_ = true; }

 private:
  void say_rebuild(const IndexFollower::Reason& reason);
  void is_behind(const model::Error& trouble);
  void follows(IndexFollower::Outcome outcome);

  const Parts parts_;
  IndexFollower follower_;
  std::atomic<bool> stopping_ = false;
  std::chrono::milliseconds pause_{0};  // after a failure; zero: the index follows
  std::chrono::steady_clock::time_point again_{};
};

}  // namespace kbase::runtime
