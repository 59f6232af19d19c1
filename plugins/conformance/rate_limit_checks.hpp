// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "plugins/conformance/fixtures.hpp"
#include "plugins/conformance/suite.hpp"

namespace kbase::conformance {

/// The ledger as a check asks it: a store that fails is a finding.
class Ledger {
 public:
  Ledger(RateLimitStoreFixture& fixture, Report& report) : fixture_(fixture), report_(report) {}

  ports::Taken take(const model::Subject& subject, model::Limits limits, std::uint32_t cost = 1,
                    SourceLine where = SourceLine::current()) {
    return ask({subject, cost, ports::Take::Mode::Charge, limits, {}}, where);
  }

  ports::Taken peek(const model::Subject& subject, model::Limits limits, SourceLine where = SourceLine::current()) {
    return ask({subject, 1, ports::Take::Mode::Peek, limits, {}}, where);
  }

  /// How many of `attempts` takes of 1 are admitted.
  std::uint32_t admitted(std::uint32_t attempts, const model::Subject& subject, model::Limits limits,
                         SourceLine where = SourceLine::current()) {
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < attempts; ++i) count += take(subject, limits, 1, where).allowed ? 1 : 0;
    return count;
  }

  /// The takes of one call, in their order.
  std::vector<ports::Taken> take_together(std::span<const ports::Take> takes,
                                          SourceLine where = SourceLine::current()) {
    std::vector<ports::Taken> answers(takes.size());
    std::vector<const ports::Take*> asked;
    std::vector<ports::Taken*> answered;
    for (std::size_t i = 0; i < takes.size(); ++i) {
      asked.push_back(&takes[i]);
      answered.push_back(&answers[i]);
    }
    ports::Call call;
    report_.ok(fixture_.port().take(call, asked, answered), "take answers", where);
    return answers;
  }

 private:
  ports::Taken ask(const ports::Take& question, SourceLine where) {
    return take_together({&question, 1}, where).front();
  }

  RateLimitStoreFixture& fixture_;
  Report& report_;
};

/// The parts of the rate limit store's suite.
Suite<RateLimitStoreFixture> rate_limit_counts();
Suite<RateLimitStoreFixture> rate_limit_times();
Suite<RateLimitStoreFixture> rate_limit_settlements();
Suite<RateLimitStoreFixture> rate_limit_bounds();

}  // namespace kbase::conformance
