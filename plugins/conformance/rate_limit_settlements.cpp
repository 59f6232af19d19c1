// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <atomic>
#include <latch>
#include <thread>

#include "plugins/conformance/rate_limit_checks.hpp"

namespace kbase::conformance {
namespace {

using model::Instant;
using model::Limits;
using model::Subject;
using ports::Take;
using ports::Taken;
using std::chrono::days;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Subject kAnna{1};
constexpr Subject kBert{2};

/// As tokens have it: no limit of the minute, many in a day.
constexpr Limits kTokens{0, 1000};

/// A charge by estimate, and what was answered.
struct Reservation {
  Take take;
  Taken taken;
};

/// The ledger as who estimates asks it.
class Estimates {
 public:
  Estimates(RateLimitStoreFixture& fixture, Report& report) : port_(fixture.port()), report_(report) {}

  /// False: the store settles nothing, and the check is skipped.
  bool are_settled() {
    Reservation probe = reserve(Subject{0xFF}, 2);
    ports::Call call;
    const auto settled = port_.settle(call, probe.take, probe.taken, 1);
    if (settled || settled.error().code != model::ErrorCode::Unsupported) return true;
    report_.skip("the store settles nothing");
    return false;
  }

  Reservation reserve(const Subject& subject, std::uint32_t cost, Limits limits = kTokens,
                      Take::Mode mode = Take::Mode::ChargeExactly, SourceLine where = SourceLine::current()) {
    Reservation made{{subject, cost, mode, limits, {}}, {}};
    const Take* const takes[] = {&made.take};
    Taken* const taken[] = {&made.taken};
    ports::Call call;
    report_.ok(port_.take(call, takes, taken), "take answers", where);
    return made;
  }

  void settle(const Reservation& made, std::uint32_t used, SourceLine where = SourceLine::current()) {
    ports::Call call;
    report_.ok(port_.settle(call, made.take, made.taken, used), "settle answers", where);
  }

  std::uint32_t left(const Subject& subject, Limits limits = kTokens) {
    return reserve(subject, 0, limits, Take::Mode::Peek).taken.day.remaining;
  }

 private:
  ports::RateLimitStore& port_;
  Report& report_;
};

void a_settlement_leaves_what_was_used(RateLimitStoreFixture& fixture, Report& report) {
  Estimates ledger(fixture, report);
  if (!ledger.are_settled()) return;
  const Reservation first = ledger.reserve(kAnna, 600);
  report.equal(first.taken.day.remaining, 400U, "an estimate is charged whole");
  report.expect(!ledger.reserve(kAnna, 600).taken.allowed, "what it holds nobody else gets");
  ledger.settle(first, 150);
  report.equal(ledger.left(kAnna), 850U, "a settlement gives back what was not used");
  const Reservation second = ledger.reserve(kAnna, 850);
  report.expect(second.taken.allowed, "which can be taken again");
  ledger.settle(second, 0);
  report.equal(ledger.left(kAnna), 850U, "all of it, where nothing was used");
  ledger.settle(ledger.reserve(kAnna, 100), 100);
  report.equal(ledger.left(kAnna), 750U, "none of it, where all was");
  report.equal(ledger.left(kBert), 1000U, "nobody else's day is settled");
}

void more_than_was_estimated_is_charged_too(RateLimitStoreFixture& fixture, Report& report) {
  Estimates ledger(fixture, report);
  if (!ledger.are_settled()) return;
  const Reservation low = ledger.reserve(kAnna, 100);
  ledger.settle(low, 300);
  report.equal(ledger.left(kAnna), 700U, "what was used above the estimate is charged");
  const Reservation last = ledger.reserve(kAnna, 700);
  ledger.settle(last, 900);
  report.equal(ledger.left(kAnna), 0U, "also where nothing is left, as it was used");
  report.equal(ledger.left(kAnna, {0, 1250}), 50U, "and is counted");
  ledger.settle(ledger.reserve(kBert, 1000), 0xFFFFFFFFU);
  report.equal(ledger.left(kBert, {0, 0xFFFFFFFFU}), 0U, "the largest use does not wrap around");
}

void a_settlement_is_of_the_day_it_was_charged_to(RateLimitStoreFixture& fixture, Report& report) {
  Estimates ledger(fixture, report);
  if (!ledger.are_settled()) return;
  const Instant midnight = model::day_of(fixture.clock.now()) + days(1);
  fixture.clock.set(midnight - milliseconds(1));
  const Reservation before = ledger.reserve(kAnna, 600);
  const Reservation other = ledger.reserve(kBert, 600);
  ledger.settle(other, 100);
  report.equal(ledger.left(kBert), 900U, "the last millisecond of a day is of that day");
  fixture.clock.set(midnight);
  const Reservation after = ledger.reserve(kAnna, 500);
  report.expect(after.taken.allowed, "the next day does not have what the day before reserved");
  ledger.settle(before, 0);
  report.equal(ledger.left(kAnna), 500U, "and gets nothing back of it");
  ledger.settle(ledger.reserve(kAnna, 0, kTokens), 700);
  report.equal(ledger.left(kAnna), 500U, "what was no charge is not settled");
  ledger.settle(after, 200);
  report.equal(ledger.left(kAnna), 800U, "its own it does");
  const Reservation late = ledger.reserve(kBert, 300);
  ledger.settle(other, 900);
  report.equal(ledger.left(kBert), 700U, "nor is it charged what the day before used above its estimate");
  fixture.clock.advance(days(1));
  ledger.settle(late, 300);
  report.equal(ledger.left(kBert), 1000U, "a day without charges stays without");
}

void an_estimate_that_is_not_settled_stands(RateLimitStoreFixture& fixture, Report& report) {
  Estimates ledger(fixture, report);
  if (!ledger.are_settled()) return;
  ledger.reserve(kAnna, 700);
  fixture.clock.advance(hours(11));
  report.equal(ledger.left(kAnna), 300U, "who died before it settled leaves its estimate in the day");
  fixture.clock.advance(hours(1));
  report.equal(ledger.left(kAnna), 1000U, "until that is over");
}

void only_what_was_charged_to_the_day_is_settled(RateLimitStoreFixture& fixture, Report& report) {
  Estimates ledger(fixture, report);
  if (!ledger.are_settled()) return;
  const Limits both{500, 1000};
  const Reservation kept = ledger.reserve(kAnna, 400, both);
  const Reservation denied = ledger.reserve(kAnna, 300, both);
  report.expect(!denied.taken.allowed, "the minute denies it");
  ledger.settle(denied, 0);
  report.equal(ledger.left(kAnna), 600U, "a denied take was not charged, so nothing is given back");
  ledger.settle(ledger.reserve(kAnna, 100, {500, 0}), 0);
  report.equal(ledger.left(kAnna), 600U, "nor of a take that had no limit of the day");
  ledger.settle(ledger.reserve(kAnna, 5, both, Take::Mode::Peek), 0);
  report.equal(ledger.left(kAnna), 600U, "nor of a look");
  ledger.settle(kept, 10);
  const Taken seen = ledger.reserve(kAnna, 0, both, Take::Mode::Peek).taken;
  report.equal(seen.day.remaining, 990U, "of what was charged the day gets back what was not used");
  report.equal(seen.minute.remaining, 0U, "the minute keeps the estimate");
  fixture.clock.advance(seconds(60));
  report.equal(ledger.reserve(kAnna, 0, both, Take::Mode::Peek).taken.minute.remaining, 500U, "until it is over");
}

/// Threads that reserve 100 and use 1 to 100 of it, until that many are not left.
void racing_estimates_never_use_more_than_the_limit(RateLimitStoreFixture& fixture, Report& report) {
  Estimates ledger(fixture, report);
  if (!ledger.are_settled()) return;
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
        const Take take{kAnna, kEstimate, Take::Mode::ChargeExactly, kMany, {}};
        Taken taken;
        const Take* const takes[] = {&take};
        Taken* const answers[] = {&taken};
        if (!fixture.port().take(call, takes, answers)) ++failures;
        if (!taken.allowed) return;
        const std::uint64_t now = held += kEstimate;
        std::uint64_t most = reserved_at_most;
        while (now > most && !reserved_at_most.compare_exchange_weak(most, now)) continue;
        const std::uint32_t of_it = 1 + (thread * 31 + i * 17) % kEstimate;
        held -= kEstimate - of_it;  // before it can be taken again, so that what is held is never counted too high
        used += of_it;
        if (!fixture.port().settle(call, take, taken, of_it)) ++failures;
      }
    });
  for (std::thread& thread : threads) thread.join();
  report.equal(failures.load(), 0, "takes and settlements do not fail because others ask at the same time");
  report.expect(reserved_at_most <= kMany.per_day, "what is reserved and used is never above the limit",
                std::to_string(reserved_at_most));
  report.expect(used > kMany.per_day - kEstimate * 9, "and what is not used is used by others", std::to_string(used));
  report.equal(ledger.left(kAnna, kMany), kMany.per_day - used.load(), "what is left is what was not used");
}

}  // namespace

Suite<RateLimitStoreFixture> rate_limit_settlements() {
  return {
      {"ASettlementLeavesWhatWasUsed", a_settlement_leaves_what_was_used},
      {"MoreThanWasEstimatedIsChargedToo", more_than_was_estimated_is_charged_too},
      {"ASettlementIsOfTheDayItWasChargedTo", a_settlement_is_of_the_day_it_was_charged_to},
      {"AnEstimateThatIsNotSettledStands", an_estimate_that_is_not_settled_stands},
      {"OnlyWhatWasChargedToTheDayIsSettled", only_what_was_charged_to_the_day_is_settled},
      {"RacingEstimatesNeverUseMoreThanTheLimit", racing_estimates_never_use_more_than_the_limit},
  };
}

}  // namespace kbase::conformance
