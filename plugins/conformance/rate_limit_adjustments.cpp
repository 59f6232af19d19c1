// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <atomic>
#include <latch>
#include <thread>

#include "plugins/conformance/rate_limit_checks.hpp"

namespace kbase::conformance {
namespace {

using model::ClientId;
using model::Instant;
using model::Limits;
using ports::AcquireRequest;
using ports::Decision;
using std::chrono::days;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr ClientId kAnna{1};
constexpr ClientId kBert{2};

/// Limits as for tokens: none per minute, many per day.
constexpr Limits kTokens{0, 1000};

/// A charge of an estimated cost, and its decision.
struct Reservation {
  AcquireRequest request;
  Decision decision;
};

/// Calls the rate limiter as a caller with estimates does.
class Estimates {
 public:
  Estimates(RateLimitStoreFixture& fixture, Report& report) : port_(fixture.port()), report_(report) {}

  /// Whether the store supports adjust(). If not, skips the check.
  bool supports_adjust() {
    Reservation probe = reserve(ClientId{0xFF}, 2);
    ports::Call call;
    const auto settled = port_.adjust(call, probe.request, probe.decision, 1);
    if (settled || settled.error().code != ErrorCode::Unsupported) return true;
    report_.skip("the store does not support adjust");
    return false;
  }

  Reservation reserve(const ClientId& client_id, std::uint32_t cost, Limits limits = kTokens,
                      AcquireRequest::Mode mode = AcquireRequest::Mode::ChargeExactly,
                      SourceLine where = SourceLine::current()) {
    Reservation made{{client_id, cost, mode, limits, {}}, {}};
    const AcquireRequest* const requests[] = {&made.request};
    Decision* const decisions[] = {&made.decision};
    ports::Call call;
    report_.ok(port_.acquire(call, requests, decisions), "acquire succeeds", where);
    return made;
  }

  void adjust(const Reservation& made, std::uint32_t used, SourceLine where = SourceLine::current()) {
    ports::Call call;
    report_.ok(port_.adjust(call, made.request, made.decision, used), "adjust succeeds", where);
  }

  std::uint32_t left(const ClientId& client_id, Limits limits = kTokens) {
    return reserve(client_id, 0, limits, AcquireRequest::Mode::Peek).decision.day.remaining;
  }

 private:
  ports::RateLimitStore& port_;
  Report& report_;
};

void an_adjustment_leaves_what_was_used(RateLimitStoreFixture& fixture, Report& report) {
  Estimates rate_limiter(fixture, report);
  if (!rate_limiter.supports_adjust()) return;
  const Reservation first = rate_limiter.reserve(kAnna, 600);
  report.equal(first.decision.day.remaining, 400U, "an estimate is charged whole");
  report.expect(!rate_limiter.reserve(kAnna, 600).decision.allowed, "other requests cannot use a reserved amount");
  rate_limiter.adjust(first, 150);
  report.equal(rate_limiter.left(kAnna), 850U, "a settlement gives back what was not used");
  const Reservation second = rate_limiter.reserve(kAnna, 850);
  report.expect(second.decision.allowed, "which can be taken again");
  rate_limiter.adjust(second, 0);
  report.equal(rate_limiter.left(kAnna), 850U, "all of it, where nothing was used");
  rate_limiter.adjust(rate_limiter.reserve(kAnna, 100), 100);
  report.equal(rate_limiter.left(kAnna), 750U, "none of it, where all was");
  report.equal(rate_limiter.left(kBert), 1000U, "the days of other clients are unchanged");
}

void usage_above_the_estimate_is_charged(RateLimitStoreFixture& fixture, Report& report) {
  Estimates rate_limiter(fixture, report);
  if (!rate_limiter.supports_adjust()) return;
  const Reservation low = rate_limiter.reserve(kAnna, 100);
  rate_limiter.adjust(low, 300);
  report.equal(rate_limiter.left(kAnna), 700U, "what was used above the estimate is charged");
  const Reservation last = rate_limiter.reserve(kAnna, 700);
  rate_limiter.adjust(last, 900);
  report.equal(rate_limiter.left(kAnna), 0U, "also where nothing is left, as it was used");
  report.equal(rate_limiter.left(kAnna, {0, 1250}), 50U, "and is counted");
  rate_limiter.adjust(rate_limiter.reserve(kBert, 1000), 0xFFFFFFFFU);
  report.equal(rate_limiter.left(kBert, {0, 0xFFFFFFFFU}), 0U, "the largest use does not wrap around");
}

void an_adjustment_applies_to_the_day_of_the_charge(RateLimitStoreFixture& fixture, Report& report) {
  Estimates rate_limiter(fixture, report);
  if (!rate_limiter.supports_adjust()) return;
  const Instant midnight = model::day_of(fixture.clock.now()) + days(1);
  fixture.clock.set(midnight - milliseconds(1));
  const Reservation before = rate_limiter.reserve(kAnna, 600);
  const Reservation other = rate_limiter.reserve(kBert, 600);
  rate_limiter.adjust(other, 100);
  report.equal(rate_limiter.left(kBert), 900U, "the last millisecond of a day is of that day");
  fixture.clock.set(midnight);
  const Reservation after = rate_limiter.reserve(kAnna, 500);
  report.expect(after.decision.allowed, "the next day does not have what the day before reserved");
  rate_limiter.adjust(before, 0);
  report.equal(rate_limiter.left(kAnna), 500U, "and gets nothing back of it");
  rate_limiter.adjust(rate_limiter.reserve(kAnna, 0, kTokens), 700);
  report.equal(rate_limiter.left(kAnna), 500U, "what was no charge is not settled");
  rate_limiter.adjust(after, 200);
  report.equal(rate_limiter.left(kAnna), 800U, "its own it does");
  const Reservation late = rate_limiter.reserve(kBert, 300);
  rate_limiter.adjust(other, 900);
  report.equal(rate_limiter.left(kBert), 700U, "nor is it charged what the day before used above its estimate");
  fixture.clock.advance(days(1));
  rate_limiter.adjust(late, 300);
  report.equal(rate_limiter.left(kBert), 1000U, "a day without charges stays without");
}

void an_unadjusted_estimate_stands(RateLimitStoreFixture& fixture, Report& report) {
  Estimates rate_limiter(fixture, report);
  if (!rate_limiter.supports_adjust()) return;
  rate_limiter.reserve(kAnna, 700);
  fixture.clock.advance(hours(11));
  report.equal(rate_limiter.left(kAnna), 300U, "who died before it settled leaves its estimate in the day");
  fixture.clock.advance(hours(1));
  report.equal(rate_limiter.left(kAnna), 1000U, "until that is over");
}

void only_a_charge_of_the_day_is_adjusted(RateLimitStoreFixture& fixture, Report& report) {
  Estimates rate_limiter(fixture, report);
  if (!rate_limiter.supports_adjust()) return;
  const Limits both{500, 1000};
  const Reservation kept = rate_limiter.reserve(kAnna, 400, both);
  const Reservation denied = rate_limiter.reserve(kAnna, 300, both);
  report.expect(!denied.decision.allowed, "the minute denies it");
  rate_limiter.adjust(denied, 0);
  report.equal(rate_limiter.left(kAnna), 600U, "a denied take was not charged, so nothing is given back");
  rate_limiter.adjust(rate_limiter.reserve(kAnna, 100, {500, 0}), 0);
  report.equal(rate_limiter.left(kAnna), 600U, "nor of a take that had no limit of the day");
  rate_limiter.adjust(rate_limiter.reserve(kAnna, 5, both, AcquireRequest::Mode::Peek), 0);
  report.equal(rate_limiter.left(kAnna), 600U, "nor of a look");
  rate_limiter.adjust(kept, 10);
  const Decision seen = rate_limiter.reserve(kAnna, 0, both, AcquireRequest::Mode::Peek).decision;
  report.equal(seen.day.remaining, 990U, "of what was charged the day gets back what was not used");
  report.equal(seen.minute.remaining, 0U, "the minute keeps the estimate");
  fixture.clock.advance(seconds(60));
  report.equal(rate_limiter.reserve(kAnna, 0, both, AcquireRequest::Mode::Peek).decision.minute.remaining, 500U,
               "until it is over");
}

/// Threads reserve 100 and use 1 to 100 of it, until less than 100 is left.
void racing_estimates_never_use_more_than_the_limit(RateLimitStoreFixture& fixture, Report& report) {
  Estimates rate_limiter(fixture, report);
  if (!rate_limiter.supports_adjust()) return;
  constexpr Limits kMany{0, 20'000};
  constexpr std::uint32_t kEstimate = 100;
  std::atomic<std::uint64_t> used{0};
  std::atomic<std::uint64_t> reserved_at_most{0};
  std::atomic<std::uint64_t> held{0};
  std::atomic<int> failures{0};
  std::latch start(8);
  std::vector<std::thread> threads;
  for (std::uint32_t thread = 0; thread < 8; ++thread)
    threads.emplace_back([&, thread] {
      start.arrive_and_wait();
      for (std::uint32_t i = 0; i < 10'000; ++i) {
        ports::Call call;
        const AcquireRequest request{kAnna, kEstimate, AcquireRequest::Mode::ChargeExactly, kMany, {}};
        Decision decision;
        const AcquireRequest* const requests[] = {&request};
        Decision* const answers[] = {&decision};
        if (!fixture.port().acquire(call, requests, answers)) ++failures;
        if (!decision.allowed) return;
        const std::uint64_t now = held += kEstimate;
        std::uint64_t most = reserved_at_most;
        while (now > most && !reserved_at_most.compare_exchange_weak(most, now)) continue;
        const std::uint32_t of_it = 1 + (thread * 31 + i * 17) % kEstimate;
        held -= kEstimate - of_it;  // before the adjustment, so that `held` is never too high
        used += of_it;
        if (!fixture.port().adjust(call, request, decision, of_it)) ++failures;
      }
    });
  for (std::thread& thread : threads) thread.join();
  report.equal(failures.load(), 0, "takes and settlements do not fail because others ask at the same time");
  report.expect(reserved_at_most <= kMany.per_day, "what is reserved and used is never above the limit",
                std::to_string(reserved_at_most));
  report.expect(used > kMany.per_day - kEstimate * 9, "and what is not used is used by others", std::to_string(used));
  report.equal(rate_limiter.left(kAnna, kMany), kMany.per_day - used.load(), "what is left is what was not used");
}

}  // namespace

Suite<RateLimitStoreFixture> rate_limit_adjustments() {
  return {
      {"AnAdjustmentLeavesWhatWasUsed", "settle", an_adjustment_leaves_what_was_used},
      {"UsageAboveTheEstimateIsCharged", "settle", usage_above_the_estimate_is_charged},
      {"AnAdjustmentAppliesToTheDayOfTheCharge", "settle", an_adjustment_applies_to_the_day_of_the_charge},
      {"AnUnadjustedEstimateStands", "settle", an_unadjusted_estimate_stands},
      {"OnlyAChargeOfTheDayIsAdjusted", "settle", only_a_charge_of_the_day_is_adjusted},
      {"RacingEstimatesNeverUseMoreThanTheLimit", "", racing_estimates_never_use_more_than_the_limit},
  };
}

}  // namespace kbase::conformance
