// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <atomic>
#include <latch>
#include <thread>
#include <vector>

#include "domain/base/result.hpp"
#include "plugins/conformance/rate_limit_checks.hpp"

namespace kbase::conformance {
namespace {

using model::Instant;
using namespace std::chrono;

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

constexpr Limits kOneAMinute{1, 0};
constexpr Limits kThreeAMinute{3, 0};

/// A store with more clients counts as unbounded, because filling it would take too long.
constexpr std::uint32_t kMaxClients = 30'000;

ClientId numbered(std::uint8_t kind, std::uint32_t number) {
  return {kind, static_cast<std::uint8_t>(number), static_cast<std::uint8_t>(number >> 8U),
          static_cast<std::uint8_t>(number >> 16U)};
}

ClientId client(std::uint32_t number) { return numbered(1, number); }
ClientId network(std::uint32_t number) { return numbered(2, number); }

/// A store in which every slot is held by a client that has used up its limit.
class FullStore {
 public:
  FullStore(RateLimitStoreFixture& fixture, Report& report) : port_(fixture.port()) {
    if (port_.capabilities().shared) {
      report.skip("a store that others use too is not filled for a check");
      return;
    }
    while (!is_full_ && exhausted_.size() < kMaxClients) {
      const ClientId next = client(static_cast<std::uint32_t>(exhausted_.size()));
      const auto decision = acquire(next, network(0), kOneAMinute);
      is_full_ = !decision || decision->account == Decision::Account::Shared;
      if (!is_full_) exhausted_.push_back(next);
    }
    if (!is_full_) report.skip("the store has places for more than " + std::to_string(kMaxClients) + " subjects");
  }

  explicit operator bool() const { return is_full_; }
  const std::vector<ClientId>& exhausted() const { return exhausted_; }

  Result<Decision> acquire(const ClientId& client_id, const ClientId& fallback_bucket, Limits limits) {
    return ask({client_id, 1, ports::AcquireRequest::Mode::Charge, limits, fallback_bucket});
  }
  Result<Decision> peek(const ClientId& client_id, const ClientId& fallback_bucket, Limits limits) {
    return ask({client_id, 1, ports::AcquireRequest::Mode::Peek, limits, fallback_bucket});
  }

 private:
  Result<Decision> ask(const ports::AcquireRequest& question) {
    ports::Call call;
    Decision answer;
    const ports::AcquireRequest* const requests[] = {&question};
    Decision* const decisions[] = {&answer};
    KBASE_TRY(port_.acquire(call, requests, decisions));
    return answer;
  }

  ports::RateLimitStore& port_;
  bool is_full_ = false;
  std::vector<ClientId> exhausted_;
};

void a_full_store_never_evicts_an_exhausted_client(RateLimitStoreFixture& fixture, Report& report) {
  FullStore store(fixture, report);
  if (!store) return;
  std::uint32_t wrong = 0;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const auto new_subject = store.acquire(client(kMaxClients + i), network(1 + i), kOneAMinute);
    if (new_subject && new_subject->account == Decision::Account::Own) ++wrong;
  }
  report.equal(wrong, 0U, "a new subject gets no account of its own while each other one has reached a limit");
  for (const ClientId& client_id : store.exhausted()) {
    const auto decision = store.acquire(client_id, network(0), kOneAMinute);
    if (!decision || decision->allowed || decision->account != Decision::Account::Own) ++wrong;
  }
  report.equal(wrong, 0U, "an exhausted client is still denied after many new clients");
}

void new_clients_of_a_full_store_share_a_fallback_bucket(RateLimitStoreFixture& fixture, Report& report) {
  FullStore store(fixture, report);
  if (!store) return;
  std::uint32_t new_subject = kMaxClients;
  const auto expect = [&](const ClientId& fallback_bucket, bool allowed, std::uint32_t left, std::string_view rule,
                          SourceLine where = SourceLine::current()) {
    const auto decision = store.acquire(client(new_subject++), fallback_bucket, kThreeAMinute);
    if (!report.ok(decision, "a new subject of a group gets a decision", where)) return;
    report.expect(decision->account == Decision::Account::Shared, "the shared account pays", {}, where);
    report.equal(decision->allowed, allowed, rule, where);
    report.equal(decision->minute.remaining, left, rule, where);
  };
  if (!store.acquire(client(new_subject), network(1), kThreeAMinute))
    return report.skip("the store has no shared accounts");
  expect(network(1), true, 1, "each new subject leaves one request less to the others of its group");
  expect(network(2), true, 2, "another group has an account of its own");
  expect(network(1), true, 0, "the group has its limit");
  expect(network(1), false, 0, "and no more");
  expect(network(2), true, 1, "whatever another group has used up");
}

void a_full_store_accepts_clients_when_windows_are_empty(RateLimitStoreFixture& fixture, Report& report) {
  FullStore store(fixture, report);
  if (!store) return;
  fixture.clock.advance(seconds(60));
  for (std::uint32_t i = 0; i < 100; ++i) {
    const auto decision = store.acquire(client(kMaxClients + i), network(1), kThreeAMinute);
    if (!report.ok(decision, "a new subject gets a decision")) return;
    report.expect(decision->allowed && decision->account == Decision::Account::Own && decision->minute.remaining == 2,
                  "a new subject replaces one without counted requests");
  }
}

void a_peek_reports_what_a_charge_would_find(RateLimitStoreFixture& fixture, Report& report) {
  FullStore store(fixture, report);
  if (!store) return;
  std::uint32_t new_subject = kMaxClients;
  const auto look_and_charge = [&](const ClientId& fallback_bucket, SourceLine where = SourceLine::current()) {
    const ClientId client_id = client(new_subject++);
    const auto seen = store.peek(client_id, fallback_bucket, kThreeAMinute);
    const auto charged = store.acquire(client_id, fallback_bucket, kThreeAMinute);
    report.equal(seen.has_value(), charged.has_value(), "a look is answered where a charge would be", where);
    if (!seen || !charged) return;
    report.expect(seen->account == charged->account, "a look names the account that a charge finds", {}, where);
    report.equal(seen->minute.remaining, charged->minute.remaining + (charged->allowed ? 1 : 0),
                 "a look shows what a charge finds in it", where);
  };
  for (int i = 0; i < 5; ++i) look_and_charge(network(1));
  look_and_charge(network(2));
  look_and_charge(ClientId{});
  const auto own = store.peek(store.exhausted().front(), network(0), kOneAMinute);
  report.expect(own && own->account == Decision::Account::Own && own->minute.remaining == 0,
                "who has a place sees its own windows");
  fixture.clock.advance(seconds(60));
  for (int i = 0; i < 5; ++i) look_and_charge(network(1));
}

void a_peek_evicts_no_client(RateLimitStoreFixture& fixture, Report& report) {
  FullStore store(fixture, report);
  if (!store) return;
  for (const ClientId& client_id : store.exhausted()) {
    const auto seen = store.peek(client_id, network(0), kThreeAMinute);
    report.expect(seen && seen->minute.remaining == 2, "a look may be at other limits");
  }
  const auto new_subject = store.acquire(client(kMaxClients), network(1), kOneAMinute);
  report.expect(!new_subject || new_subject->account == Decision::Account::Shared,
                "which do not make a subject one that has something left");
  const ClientId first = store.exhausted().front();
  fixture.clock.advance(seconds(60));
  report.expect(store.acquire(first, network(0), kThreeAMinute).has_value(), "one has something left");
  for (std::uint32_t i = 1; i < store.exhausted().size(); ++i)
    report.expect(store.acquire(store.exhausted()[i], network(0), kOneAMinute).has_value(), "the others have nothing");
  for (std::uint32_t i = 0; i < 100; ++i) (void)store.peek(client(kMaxClients + i), network(1), kOneAMinute);
  const auto kept = store.peek(first, network(0), kThreeAMinute);
  report.expect(kept && kept->minute.remaining == 2, "new clients that only peek evict no client");
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

Suite<RateLimitStoreFixture> rate_limit_bounds() {
  return {
      {"AFullStoreNeverEvictsAnExhaustedClient", "", a_full_store_never_evicts_an_exhausted_client},
      {"NewClientsOfAFullStoreShareAFallbackBucket", "kb_taken.account",
       new_clients_of_a_full_store_share_a_fallback_bucket},
      {"AFullStoreAcceptsClientsWhenWindowsAreEmpty", "", a_full_store_accepts_clients_when_windows_are_empty},
      {"APeekReportsWhatAChargeWouldFind", "kb_take.cost", a_peek_reports_what_a_charge_would_find},
      {"APeekEvictsNoClient", "kb_take.cost", a_peek_evicts_no_client},
  };
}

}  // namespace kbase::conformance
