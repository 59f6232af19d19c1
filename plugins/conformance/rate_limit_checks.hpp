// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "plugins/conformance/fixtures.hpp"
#include "plugins/conformance/suite.hpp"

namespace kbase::conformance {

using model::ClientId;
using model::Limits;
using ports::AcquireRequest;
using ports::Decision;

inline constexpr ClientId kAnna{1};
inline constexpr ClientId kBert{2};

/// Calls the rate limiter for a check. Reports a failed call as a violation.
class RateLimiter {
 public:
  RateLimiter(RateLimitStoreFixture& fixture, Report& report) : fixture_(fixture), report_(report) {}

  Decision acquire(const ClientId& client_id, Limits limits, std::uint32_t cost = 1,
                   SourceLine where = SourceLine::current()) {
    return send({client_id, cost, AcquireRequest::Mode::Charge, limits, {}}, where);
  }

  Decision peek(const ClientId& client_id, Limits limits, SourceLine where = SourceLine::current()) {
    return send({client_id, 1, AcquireRequest::Mode::Peek, limits, {}}, where);
  }

  /// Returns how many of `attempts` requests with cost 1 are allowed.
  std::uint32_t count_allowed(std::uint32_t attempts, const ClientId& client_id, Limits limits,
                              SourceLine where = SourceLine::current()) {
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < attempts; ++i) count += acquire(client_id, limits, 1, where).allowed ? 1 : 0;
    return count;
  }

  /// Returns the decisions of one call with several requests, in order.
  std::vector<Decision> acquire_together(std::span<const AcquireRequest> requests,
                                         SourceLine where = SourceLine::current()) {
    std::vector<Decision> decisions(requests.size());
    std::vector<const AcquireRequest*> request_pointers;
    std::vector<Decision*> decision_pointers;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      request_pointers.push_back(&requests[i]);
      decision_pointers.push_back(&decisions[i]);
    }
    ports::Call call;
    report_.ok(fixture_.port().acquire(call, request_pointers, decision_pointers), "acquire succeeds", where);
    return decisions;
  }

 private:
  Decision send(const AcquireRequest& request, SourceLine where) {
    return acquire_together({&request, 1}, where).front();
  }

  RateLimitStoreFixture& fixture_;
  Report& report_;
};

/// The parts of the contract suite of ports::RateLimitStore.
Suite<RateLimitStoreFixture> rate_limit_counts();
Suite<RateLimitStoreFixture> rate_limit_times();
Suite<RateLimitStoreFixture> rate_limit_adjustments();
Suite<RateLimitStoreFixture> rate_limit_bounds();

}  // namespace kbase::conformance
