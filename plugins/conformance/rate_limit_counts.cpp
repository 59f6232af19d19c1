// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atomic>
#include <latch>
#include <limits>
#include <thread>

#include "plugins/conformance/rate_limit_checks.hpp"

namespace kbase::conformance {
namespace {

using ports::Call;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint32_t kLargest = std::numeric_limits<std::uint32_t>::max();

std::string remaining(const Decision& decision) {
  return std::to_string(decision.minute.remaining) + '/' + std::to_string(decision.day.remaining);
}

void the_first_request_leaves_one_less(RateLimitStoreFixture& fixture, Report& report) {
  RateLimiter rate_limiter(fixture, report);
  report.equal(remaining(rate_limiter.peek(kAnna, {10, 1000})), "10/1000", "a subject never seen has its full limits");
  const Decision first = rate_limiter.acquire(kAnna, {10, 1000});
  report.expect(first.allowed, "the first request is allowed");
  report.equal(remaining(first), "9/999", "the first take leaves one less in both windows");
  report.expect(first.account == Decision::Account::Own, "a store with free accounts gives each subject its own");
  report.equal(remaining(rate_limiter.acquire(kBert, {10, 1000})), "9/999", "another subject has windows of its own");
}

void grants_exactly_the_limit(RateLimitStoreFixture& fixture, Report& report) {
  RateLimiter rate_limiter(fixture, report);
  for (std::uint32_t left = 10; left-- > 0;) {
    const Decision decision = rate_limiter.acquire(kAnna, {10, 1000});
    report.expect(decision.allowed, "every take up to the limit is admitted");
    report.equal(decision.minute.remaining, left, "each take leaves one less");
  }
  const Decision denied = rate_limiter.acquire(kAnna, {10, 1000});
  report.expect(!denied.allowed, "the take after the limit is denied");
  report.equal(remaining(denied), "0/990", "remaining is never negative");
  report.equal(rate_limiter.count_allowed(20, kBert, {1, 1000}), 1U, "a limit of 1 admits one");
}

void a_denial_changes_no_window(RateLimitStoreFixture& fixture, Report& report) {
  RateLimiter rate_limiter(fixture, report);
  const Limits limits{3, 5};
  rate_limiter.count_allowed(3, kAnna, limits);
  fixture.clock.advance(seconds(30));
  report.equal(rate_limiter.count_allowed(50, kAnna, limits), 0U, "the minute is exhausted");
  report.equal(remaining(rate_limiter.peek(kAnna, limits)), "0/2", "what the minute denied is not taken from the day");
  fixture.clock.advance(seconds(30));
  report.equal(rate_limiter.count_allowed(50, kAnna, limits), 2U, "denied takes do not lengthen the window");
  report.equal(remaining(rate_limiter.peek(kAnna, limits)), "1/0", "what the day denied is not taken from the minute");
  fixture.clock.advance(seconds(60));
  report.equal(remaining(rate_limiter.peek(kAnna, limits)), "3/0", "nor did it lengthen the minute");
}

void an_exhausted_day_does_not_charge_the_minute(RateLimitStoreFixture& fixture, Report& report) {
  RateLimiter rate_limiter(fixture, report);
  const model::Instant start = fixture.clock.now();
  const model::Instant midnight = model::day_of(start) + std::chrono::days(1);
  rate_limiter.count_allowed(2, kAnna, {10, 2});
  const Decision day_denied = rate_limiter.acquire(kAnna, {10, 2});
  report.expect(!day_denied.allowed, "an exhausted day denies though the minute is free");
  report.equal(remaining(day_denied), "8/0", "the window that denied has fewer remaining than the cost, the other not");
  report.expect(day_denied.day.reset == midnight, "an exhausted day is reset at the next UTC midnight");
  report.expect(day_denied.minute.reset == start + seconds(60), "the minute keeps its own reset");

  const Decision both_denied = rate_limiter.acquire(kAnna, {2, 2});
  report.equal(remaining(both_denied), "0/0", "both windows may be exhausted");
  report.expect(both_denied.day.reset > both_denied.minute.reset, "of both the later reset is the day's");
  fixture.clock.advance(seconds(60));
  report.equal(remaining(rate_limiter.acquire(kAnna, {2, 2})), "2/0", "a free minute does not help an exhausted day");
}

void a_plan_may_change_in_mid_window(RateLimitStoreFixture& fixture, Report& report) {
  RateLimiter rate_limiter(fixture, report);
  rate_limiter.count_allowed(3, kAnna, {5, 100});
  report.equal(remaining(rate_limiter.acquire(kAnna, {10, 200})), "6/196", "a larger plan keeps the count");
  report.equal(remaining(rate_limiter.peek(kAnna, {2, 3})), "0/0", "a smaller plan than the count has 0 remaining");
  report.expect(!rate_limiter.acquire(kAnna, {4, 200}).allowed, "a plan that the count has reached is exhausted");
  report.expect(!rate_limiter.acquire(kAnna, {2, 200}).allowed, "a plan that the count has passed is exhausted");
  report.equal(remaining(rate_limiter.acquire(kAnna, {5, 200})), "0/195",
               "a denial under one plan costs nothing under another");
}

void costs_count_as_many_requests(RateLimitStoreFixture& fixture, Report& report) {
  RateLimiter rate_limiter(fixture, report);
  const Limits limits{10, 100};
  report.expect(!rate_limiter.acquire(kAnna, limits, 11).allowed, "a cost above the limit is denied");
  report.expect(!rate_limiter.acquire(kAnna, limits, kLargest).allowed, "the largest cost is denied");
  report.equal(remaining(rate_limiter.peek(kAnna, limits)), "10/100", "and was not charged");
  report.equal(remaining(rate_limiter.acquire(kAnna, limits, 3)), "7/97", "a cost of 3 takes 3 from both windows");
  const Decision denied = rate_limiter.acquire(kAnna, limits, 8);
  report.expect(!denied.allowed, "a cost above what remains is denied");
  report.equal(remaining(denied), "7/97", "a denied cost is not taken in part");
  report.expect(!rate_limiter.acquire(kAnna, limits, kLargest).allowed, "the largest cost does not wrap around");
  report.equal(remaining(rate_limiter.acquire(kAnna, limits, 7)), "0/90", "a cost of all that remains is admitted");
  const Decision free = rate_limiter.acquire(kAnna, limits, 0);
  report.expect(free.allowed, "a cost of 0 is admitted even when nothing remains");
  report.equal(remaining(free), "0/90", "a cost of 0 charges nothing");
  fixture.clock.advance(seconds(60));
  report.equal(remaining(rate_limiter.acquire(kAnna, limits, 10)), "0/80",
               "a cost leaves the window as it entered, at once");
  report.equal(remaining(rate_limiter.acquire(kBert, {kLargest, kLargest}, kLargest)), "0/0",
               "the largest limit can be taken");
  report.expect(!rate_limiter.acquire(kBert, {kLargest, kLargest}).allowed, "and holds");
}

void peeking_charges_nothing(RateLimitStoreFixture& fixture, Report& report) {
  RateLimiter rate_limiter(fixture, report);
  for (int i = 0; i < 20; ++i)
    report.expect(rate_limiter.peek(kAnna, {2, 100}).allowed, "Peek is as if the cost were 0");
  report.equal(rate_limiter.count_allowed(5, kAnna, {2, 100}), 2U, "a peek charges nothing");
  const Decision exhausted = rate_limiter.peek(kAnna, {2, 100});
  report.expect(exhausted.allowed, "a peek is admitted even when nothing remains");
  report.equal(remaining(exhausted), "0/98", "a peek shows what the subject has left");
}

void a_limit_of_0_means_unlimited(RateLimitStoreFixture& fixture, Report& report) {
  RateLimiter rate_limiter(fixture, report);
  report.equal(rate_limiter.count_allowed(500, kAnna, {0, 300}), 300U, "without a limit of the minute the day's holds");
  report.equal(rate_limiter.count_allowed(500, kBert, {200, 0}), 200U, "without a limit of the day the minute's holds");
  report.equal(rate_limiter.count_allowed(500, ClientId{3}, {0, 0}), 500U, "without limits everything is admitted");
  report.expect(rate_limiter.acquire(ClientId{3}, {0, 0}, kLargest).allowed, "at any cost");
}

void client_ids_never_collide(RateLimitStoreFixture& fixture, Report& report) {
  RateLimiter rate_limiter(fixture, report);
  std::vector<ClientId> clients{ClientId{}};
  for (std::size_t bit = 0; bit < 128; ++bit) {
    ClientId client_id{};
    client_id[bit / 8] = static_cast<std::uint8_t>(1U << bit % 8);
    clients.push_back(client_id);
  }
  ClientId hostile{'a', ':', 'b', '_', '{', '}', 0, '\r', '\n', ' ', '*', '%', 0xC3, 0x28, 0xFF, 0};
  clients.push_back(hostile);
  std::swap(hostile[0], hostile[2]);
  clients.push_back(hostile);
  for (const ClientId& client_id : clients)
    report.expect(rate_limiter.acquire(client_id, {1, 1}).allowed, "subjects that differ in one bit are counted apart");
  for (const ClientId& client_id : clients)
    report.expect(!rate_limiter.acquire(client_id, {1, 1}).allowed, "each subject's count is its own");
}

/// Sends many requests per call, because for a store on another machine the round trips would dominate.
void counts_many_clients_separately(RateLimitStoreFixture& fixture, Report& report) {
  constexpr std::uint32_t kTogether = 500;
  RateLimiter rate_limiter(fixture, report);
  std::uint32_t wrong = 0;
  const auto each_admits = [&](std::uint32_t attempts, std::uint32_t wanted) {
    for (std::uint32_t i = 0; i < 20'000; i += kTogether) {
      std::vector<AcquireRequest> requests;
      for (std::uint32_t number = i; number < i + kTogether; ++number) {
        const ClientId client_id{0, static_cast<std::uint8_t>(number), static_cast<std::uint8_t>(number >> 8U), 7};
        requests.insert(requests.end(), attempts, {client_id, 1, AcquireRequest::Mode::Charge, {2, 100}, {}});
      }
      const std::vector<Decision> answers = rate_limiter.acquire_together(requests);
      for (auto own = answers.begin(); own != answers.end(); own += attempts)
        if (std::count_if(own, own + attempts, [](const Decision& decision) { return decision.allowed; }) != wanted)
          ++wrong;
    }
  };
  each_admits(1, 1);
  each_admits(2, 1);
  each_admits(1, 0);
  report.equal(wrong, 0U, "of 20,000 subjects each is counted exactly");
}

void a_batch_is_decided_in_order(RateLimitStoreFixture& fixture, Report& report) {
  const Limits limits{2, 100};
  const std::array<AcquireRequest, 6> requests{{{kAnna, 1, AcquireRequest::Mode::Charge, limits},
                                                {kBert, 2, AcquireRequest::Mode::Charge, limits},
                                                {kAnna, 1, AcquireRequest::Mode::Charge, limits},
                                                {kAnna, 1, AcquireRequest::Mode::Charge, limits},
                                                {kBert, 1, AcquireRequest::Mode::Peek, limits},
                                                {ClientId{3}, 3, AcquireRequest::Mode::Charge, {5, 50}}}};
  RateLimiter rate_limiter(fixture, report);
  std::string decisions;
  for (const Decision& answer : rate_limiter.acquire_together(requests))
    decisions += (answer.allowed ? "yes " : "no ") + remaining(answer) + ' ';
  report.equal(decisions, "yes 1/99 yes 0/98 yes 0/98 no 0/98 yes 0/98 yes 2/47 ", "takes[i] is decided in taken[i]");
  Call call;
  report.ok(fixture.port().acquire(call, {}, {}), "an empty batch is answered");
  report.ok(fixture.port().health(call), "a store that works is healthy");
}

/// 64 threads acquire 1,000 times each. Returns how many were allowed, and the sum of what their windows then had left.
std::pair<std::uint64_t, std::uint64_t> race(ports::RateLimitStore& store, Limits limits, Report& report) {
  std::atomic<std::uint64_t> admitted{0};
  std::atomic<std::uint64_t> sum_left{0};
  std::atomic<int> failures{0};
  std::latch start(64);  // without it a thread would finish before the next one starts
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 64; ++thread)
    threads.emplace_back([&] {
      start.arrive_and_wait();
      const AcquireRequest question{kAnna, 1, AcquireRequest::Mode::Charge, limits};
      const AcquireRequest* const requests[] = {&question};
      for (int i = 0; i < 1000; ++i) {
        Call call;
        Decision answer;
        Decision* const decisions[] = {&answer};
        if (!store.acquire(call, requests, decisions)) ++failures;
        if (!answer.allowed) continue;
        ++admitted;
        sum_left += limits.per_minute != 0 ? answer.minute.remaining : answer.day.remaining;
      }
    });
  for (std::thread& thread : threads) thread.join();
  report.equal(failures.load(), 0, "takes do not fail because others ask at the same time");
  return {admitted.load(), sum_left.load()};
}

void racing_threads_get_exactly_the_limit(RateLimitStoreFixture& fixture, Report& report) {
  const auto [by_minute, left_in_minute] = race(fixture.port(), {30'000, 100'000}, report);
  report.equal(by_minute, 30'000U, "64 threads with 1,000 takes each get exactly the limit");
  report.equal(left_in_minute, 30'000ULL * 29'999 / 2, "each admitted take saw its own number of remaining ones");
  const auto [by_day, left_in_day] = race(fixture.port(), {0, 50'000}, report);
  report.equal(by_day, 20'000U, "and exactly what the first race left of the day");
  report.equal(left_in_day, 20'000ULL * 19'999 / 2, "each admitted take saw its own number of remaining ones");
}

void racing_threads_get_exactly_the_limit_across_a_minute(RateLimitStoreFixture& fixture, Report& report) {
  constexpr Limits kLimits{50, 0};
  RateLimiter rate_limiter(fixture, report);
  std::atomic<bool> done{false};
  std::atomic<std::uint32_t> admitted{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread)
    threads.emplace_back([&] {
      const AcquireRequest question{kAnna, 1, AcquireRequest::Mode::Charge, kLimits};
      const AcquireRequest* const requests[] = {&question};
      while (!done) {
        Call call;
        Decision answer;
        Decision* const decisions[] = {&answer};
        if (fixture.port().acquire(call, requests, decisions) && answer.allowed) ++admitted;
      }
    });
  std::uint32_t own = rate_limiter.count_allowed(60, kAnna, kLimits);  // uses up the limit before the clock moves
  for (int step = 0; step < 1300; ++step) {
    fixture.clock.advance(milliseconds(100));
    own += rate_limiter.count_allowed(step % 600 == 599 ? 60 : 1, kAnna, kLimits);
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
  report.equal(admitted.load() + own, 150U,
               "three windows of 60 seconds allow three times the limit for any number of threads");
}

}  // namespace

Suite<RateLimitStoreFixture> rate_limit_counts() {
  return {
      {"TheFirstRequestLeavesOneLess", "", the_first_request_leaves_one_less},
      {"GrantsExactlyTheLimit", "", grants_exactly_the_limit},
      {"ADenialChangesNoWindow", "kb_taken.allowed", a_denial_changes_no_window},
      {"AnExhaustedDayDoesNotChargeTheMinute", "kb_taken.allowed", an_exhausted_day_does_not_charge_the_minute},
      {"APlanMayChangeInMidWindow", "kb_take.per_minute", a_plan_may_change_in_mid_window},
      {"CostsCountAsManyRequests", "kb_take.cost", costs_count_as_many_requests},
      {"PeekingChargesNothing", "kb_take.cost", peeking_charges_nothing},
      {"ALimitOf0MeansUnlimited", "kb_take.per_minute", a_limit_of_0_means_unlimited},
      {"ClientsNeverCollide", "kb_take.subject", client_ids_never_collide},
      {"CountsManyClientsSeparately", "kb_take.subject", counts_many_clients_separately},
      {"ABatchIsDecidedInOrder", "take", a_batch_is_decided_in_order},
      {"RacingThreadsGetExactlyTheLimit", "", racing_threads_get_exactly_the_limit},
      {"RacingThreadsGetExactlyTheLimitAcrossAMinute", "", racing_threads_get_exactly_the_limit_across_a_minute},
  };
}

}  // namespace kbase::conformance
