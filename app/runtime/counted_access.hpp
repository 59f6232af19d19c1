// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <shared_mutex>
#include <string>

#include "app/runtime/usage_counter.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/metrics.hpp"
#include "ports/driving/access.hpp"

namespace kbase::runtime {

/// Counts the requests that limits let in: by plan for monitoring, and of each key by day for the operator's report.
/// They were charged, but for those that a fallback allowed while the rate limiter was away. Any thread.
class CountedAccess final : public ports::Access {
 public:
  /// What it is made of outlives it.
  struct Parts {
    ports::Access& access;
    UsageCounter& usage;
    ports::Metrics& metrics;
    const ports::Clock& clock;
  };
  explicit CountedAccess(const Parts& parts) : parts_(parts) {}

  ports::Admission admit(ports::Call& call, const ports::Client& client, ports::AcquireRequest::Mode mode) override;
  ports::Admission unasked(const ports::Client& client) const override { return parts_.access.unasked(client); }
  bool is_inline(std::optional<std::string_view> credential) const override {
    return parts_.access.is_inline(credential);
  }

 private:
  using OfPlan = std::array<ports::Counter*, 2>;  // of addresses, of keys

  /// As many as the configuration has had plans.
  const OfPlan& counters_of(const std::string& plan);

  Parts parts_;
  std::shared_mutex mutex_;
  std::map<std::string, OfPlan> by_plan_;  // only grows
};

}  // namespace kbase::runtime
