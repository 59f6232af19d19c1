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

/// Counts admitted requests: by plan for monitoring, and by key and day for the usage report. Includes requests that a
/// fallback allowed without charging while the rate limiter was unavailable. Thread-safe.
class CountedAccess final : public ports::Access {
 public:
  /// All members must outlive this object.
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
  using OfPlan = std::array<ports::Counter*, 2>;  // by client kind: address, key

  /// Returns the counters of `plan`, creating them on first use. There is one entry for each plan ever configured.
  const OfPlan& counters_of(const std::string& plan);

  Parts parts_;
  std::shared_mutex mutex_;
  std::map<std::string, OfPlan> by_plan_;  // entries are never removed, so references stay valid
};

}  // namespace kbase::runtime
