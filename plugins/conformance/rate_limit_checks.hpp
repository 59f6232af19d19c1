// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "plugins/conformance/fixtures.hpp"
#include "plugins/conformance/suite.hpp"

namespace kbase::conformance {

/// Calls the rate limiter for a check. Reports a failed call as a violation.
class RateLimiter {
 public:
  RateLimiter(RateLimitStoreFixture& fixture, Report& report) : fixture_(fixture), report_(report) {}

  ports::Decision acquire(const model::ClientId& client_id, model::Limits limits, std::uint32_t cost = 1,
                          SourceLine where = SourceLine::current()) {
    return send({client_id, cost, ports::AcquireRequest::Mode::Charge, limits, {}}, where);
  }

  ports::Decision peek(const model::ClientId& client_id, model::Limits limits,
                       SourceLine where = SourceLine::current()) {
    return send({client_id, 1, ports::AcquireRequest::Mode::Peek, limits, {}}, where);
  }

  /// Returns how many of `attempts` requests with cost 1 are allowed.
  std::uint32_t count_allowed(std::uint32_t attempts, const model::ClientId& client_id, model::Limits limits,
                              SourceLine where = SourceLine::current()) {
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < attempts; ++i) count += acquire(client_id, limits, 1, where).allowed ? 1 : 0;
    return count;
  }

  /// Returns the decisions of one call with several requests, in order.
  std::vector<ports::Decision> acquire_together(std::span<const ports::AcquireRequest> requests,
                                                SourceLine where = SourceLine::current()) {
    std::vector<ports::Decision> decisions(requests.size());
    std::vector<const ports::AcquireRequest*> request_pointers;
    std::vector<ports::Decision*> decision_pointers;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      request_pointers.push_back(&requests[i]);
      decision_pointers.push_back(&decisions[i]);
    }
    ports::Call call;
    report_.ok(fixture_.port().acquire(call, request_pointers, decision_pointers), "acquire succeeds", where);
    return decisions;
  }

 private:
  ports::Decision send(const ports::AcquireRequest& request, SourceLine where) {
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
