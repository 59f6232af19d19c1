// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "domain/base/result.hpp"
#include "plugins/conformance/rate_limit_checks.hpp"

namespace kbase::conformance {
namespace {

using model::ClientId;
using model::Limits;
using ports::Decision;
using std::chrono::seconds;

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
    const auto newcomer = store.acquire(client(kMaxClients + i), network(1 + i), kOneAMinute);
    if (newcomer && newcomer->account == Decision::Account::Own) ++wrong;
  }
  report.equal(wrong, 0U, "a newcomer gets no place where every subject has used up a limit");
  for (const ClientId& client_id : store.exhausted()) {
    const auto decision = store.acquire(client_id, network(0), kOneAMinute);
    if (!decision || decision->allowed || decision->account != Decision::Account::Own) ++wrong;
  }
  report.equal(wrong, 0U, "an exhausted client is still denied after many new clients");
}

void new_clients_of_a_full_store_share_a_fallback_bucket(RateLimitStoreFixture& fixture, Report& report) {
  FullStore store(fixture, report);
  if (!store) return;
  std::uint32_t newcomer = kMaxClients;
  const auto expect = [&](const ClientId& fallback_bucket, bool allowed, std::uint32_t left, std::string_view rule,
                          SourceLine where = SourceLine::current()) {
    const auto decision = store.acquire(client(newcomer++), fallback_bucket, kThreeAMinute);
    if (!report.ok(decision, "a newcomer in a group is answered", where)) return;
    report.expect(decision->account == Decision::Account::Shared, "the shared account pays", {}, where);
    report.equal(decision->allowed, allowed, rule, where);
    report.equal(decision->minute.remaining, left, rule, where);
  };
  if (!store.acquire(client(newcomer), network(1), kThreeAMinute))
    return report.skip("the store has no shared accounts");
  expect(network(1), true, 1, "each newcomer leaves one less to the others of its group");
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
    if (!report.ok(decision, "a newcomer is answered")) return;
    report.expect(decision->allowed && decision->account == Decision::Account::Own && decision->minute.remaining == 2,
                  "a subject with nothing counted makes room for a newcomer");
  }
}

void a_peek_reports_what_a_charge_would_find(RateLimitStoreFixture& fixture, Report& report) {
  FullStore store(fixture, report);
  if (!store) return;
  std::uint32_t newcomer = kMaxClients;
  const auto look_and_charge = [&](const ClientId& fallback_bucket, SourceLine where = SourceLine::current()) {
    const ClientId client_id = client(newcomer++);
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
  const auto newcomer = store.acquire(client(kMaxClients), network(1), kOneAMinute);
  report.expect(!newcomer || newcomer->account == Decision::Account::Shared,
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
