// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "plugins/conformance/rate_limit_checks.hpp"

namespace kbase::conformance {
namespace {

using model::Limits;
using model::Subject;
using ports::Taken;
using std::chrono::seconds;

constexpr Limits kOneAMinute{1, 0};
constexpr Limits kThreeAMinute{3, 0};

/// Above it a store counts as without a bound: filling it would take too long.
constexpr std::uint32_t kMostSubjects = 30'000;

Subject numbered(std::uint8_t kind, std::uint32_t number) {
  return {kind, static_cast<std::uint8_t>(number), static_cast<std::uint8_t>(number >> 8U),
          static_cast<std::uint8_t>(number >> 16U)};
}

Subject client(std::uint32_t number) {
  return numbered(1, number);
}
Subject network(std::uint32_t number) {
  return numbered(2, number);
}

/// A store in which every place is held by a subject that has used up its limit.
class FullStore {
 public:
  FullStore(RateLimitStoreFixture& fixture, Report& report) : port_(fixture.port()) {
    if (port_.capabilities().shared) {
      report.skip("a store that others use too is not filled for a check");
      return;
    }
    while (!is_full_ && exhausted_.size() < kMostSubjects) {
      const Subject next = client(static_cast<std::uint32_t>(exhausted_.size()));
      const auto taken = take(next, network(0), kOneAMinute);
      is_full_ = !taken || taken->account == Taken::Account::Shared;
      if (!is_full_) exhausted_.push_back(next);
    }
    if (!is_full_) report.skip("the store has places for more than " + std::to_string(kMostSubjects) + " subjects");
  }

  explicit operator bool() const { return is_full_; }
  const std::vector<Subject>& exhausted() const { return exhausted_; }

  model::Result<Taken> take(const Subject& subject, const Subject& group, Limits limits) {
    ports::Call call;
    const ports::Take question{subject, 1, ports::Take::Mode::Charge, limits, group};
    Taken answer;
    const ports::Take* const takes[] = {&question};
    Taken* const taken[] = {&answer};
    if (auto status = port_.take(call, takes, taken); !status) return status.error();
    return answer;
  }

 private:
  ports::RateLimitStore& port_;
  bool is_full_ = false;
  std::vector<Subject> exhausted_;
};

void a_full_store_forgets_nobody_who_has_nothing_left(RateLimitStoreFixture& fixture, Report& report) {
  FullStore store(fixture, report);
  if (!store) return;
  std::uint32_t wrong = 0;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const auto newcomer = store.take(client(kMostSubjects + i), network(1 + i), kOneAMinute);
    if (newcomer && newcomer->account == Taken::Account::Own) ++wrong;
  }
  report.equal(wrong, 0U, "a newcomer gets no place where every subject has used up a limit");
  for (const Subject& subject : store.exhausted()) {
    const auto taken = store.take(subject, network(0), kOneAMinute);
    if (!taken || taken->allowed || taken->account != Taken::Account::Own) ++wrong;
  }
  report.equal(wrong, 0U, "whoever has used up a limit is denied still, whatever number of newcomers asks");
}

void newcomers_to_a_full_store_share_an_account_by_group(RateLimitStoreFixture& fixture, Report& report) {
  FullStore store(fixture, report);
  if (!store) return;
  std::uint32_t newcomer = kMostSubjects;
  const auto expect = [&](const Subject& group, bool allowed, std::uint32_t left, std::string_view rule,
                          SourceLine where = SourceLine::current()) {
    const auto taken = store.take(client(newcomer++), group, kThreeAMinute);
    if (!report.ok(taken, "a newcomer in a group is answered", where)) return;
    report.expect(taken->account == Taken::Account::Shared, "the shared account pays", {}, where);
    report.equal(taken->allowed, allowed, rule, where);
    report.equal(taken->minute.remaining, left, rule, where);
  };
  if (!store.take(client(newcomer), network(1), kThreeAMinute)) return report.skip("the store has no shared accounts");
  expect(network(1), true, 1, "each newcomer leaves one less to the others of its group");
  expect(network(2), true, 2, "another group has an account of its own");
  expect(network(1), true, 0, "the group has its limit");
  expect(network(1), false, 0, "and no more");
  expect(network(2), true, 1, "whatever another group has used up");
}

void a_full_store_has_room_again_when_windows_are_empty(RateLimitStoreFixture& fixture, Report& report) {
  FullStore store(fixture, report);
  if (!store) return;
  fixture.clock.advance(seconds(60));
  for (std::uint32_t i = 0; i < 100; ++i) {
    const auto taken = store.take(client(kMostSubjects + i), network(1), kThreeAMinute);
    if (!report.ok(taken, "a newcomer is answered")) return;
    report.expect(taken->allowed && taken->account == Taken::Account::Own && taken->minute.remaining == 2,
                  "a subject with nothing counted makes room for a newcomer");
  }
}

}  // namespace

Suite<RateLimitStoreFixture> rate_limit_bounds() {
  return {
      {"AFullStoreForgetsNobodyWhoHasNothingLeft", a_full_store_forgets_nobody_who_has_nothing_left},
      {"NewcomersToAFullStoreShareAnAccountByGroup", newcomers_to_a_full_store_share_an_account_by_group},
      {"AFullStoreHasRoomAgainWhenWindowsAreEmpty", a_full_store_has_room_again_when_windows_are_empty},
  };
}

}  // namespace kbase::conformance
