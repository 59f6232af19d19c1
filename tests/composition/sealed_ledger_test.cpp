// SPDX-License-Identifier: Apache-2.0
#include "app/composition/sealed_ledger.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "adapters/memory/rate_limit_store.hpp"
#include "plugins/conformance/manual_clock.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {

using ports::Take;
using ports::Taken;

constexpr std::string_view kSecret = "a secret of thirty-two characters";

/// A ledger in memory whose questions can be read.
class OpenLedger final : public ports::RateLimitStore {
 public:
  OpenLedger(const ports::Clock& clock, std::vector<Take>& asked) : ledger_(clock, {}), asked_(asked) {}

  Capabilities capabilities() const override { return {false, true}; }
  model::Status take(ports::Call& call, std::span<const Take* const> takes, std::span<Taken* const> taken) override {
    for (const Take* const take : takes) asked_.push_back(*take);
    return ledger_.take(call, takes, taken);
  }
  model::Status settle(ports::Call& call, const Take& take, const Taken& taken, std::uint32_t used) override {
    return ledger_.settle(call, take, taken, used);
  }
  model::Status health(ports::Call&) override { return {}; }

 private:
  memory::MemoryRateLimitStore ledger_;
  std::vector<Take>& asked_;
};

class SealedLedger : public testing::Test {
 protected:
  Taken take(ports::RateLimitStore& ledger, const Take& wanted) {
    const Take* const takes[] = {&wanted};
    Taken answer;
    Taken* const taken[] = {&answer};
    ports::Call call;
    EXPECT_TRUE(succeeded(ledger.take(call, takes, taken)));
    return answer;
  }

  std::unique_ptr<composition::SealedLedger> sealed(std::string_view secret) {
    return std::make_unique<composition::SealedLedger>(std::make_unique<OpenLedger>(clock_, asked_), secret);
  }

  static Take take_of(std::uint8_t subject, std::uint8_t group = 0) {
    Take take;
    take.subject = {subject};
    if (group != 0) take.group = {group};
    take.limits = {3, 0};
    return take;
  }

  conformance::ManualClock clock_;
  std::vector<Take> asked_;
};

TEST_F(SealedLedger, ShowsTheLedgerNeitherSubjectNorGroup) {
  const auto ledger = sealed(kSecret);
  const Take wanted = take_of(1, 2);
  take(*ledger, wanted);
  EXPECT_NE(asked_[0].subject, wanted.subject);
  EXPECT_NE(asked_[0].group, wanted.group);
  EXPECT_EQ(asked_[0].limits, wanted.limits);
  EXPECT_EQ(asked_[0].cost, wanted.cost);
}

TEST_F(SealedLedger, IsTheSameForOneSecretAndAnotherForEachOther) {
  take(*sealed(kSecret), take_of(1));
  take(*sealed(kSecret), take_of(1));
  take(*sealed("another secret of thirty-two chars"), take_of(1));
  EXPECT_EQ(asked_[0].subject, asked_[1].subject);
  EXPECT_NE(asked_[0].subject, asked_[2].subject);
}

TEST_F(SealedLedger, KeepsASubjectApartFromAGroupOfTheSameHash) {
  take(*sealed(kSecret), take_of(1, 1));
  EXPECT_NE(asked_[0].subject, asked_[0].group);
}

TEST_F(SealedLedger, LeavesWhoIsInNoGroupWithoutOne) {
  take(*sealed(kSecret), take_of(1));
  EXPECT_EQ(asked_[0].group, model::Subject{});
}

TEST_F(SealedLedger, CountsEachSubjectForItself) {
  const auto ledger = sealed(kSecret);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(take(*ledger, take_of(1)).allowed);
  EXPECT_FALSE(take(*ledger, take_of(1)).allowed);
  EXPECT_EQ(take(*ledger, take_of(2)).minute.remaining, 2u);
}

TEST_F(SealedLedger, SettlesTheSubjectThatItCharged) {
  const auto ledger = sealed(kSecret);
  Take charge = take_of(1);
  charge.limits = {0, 100};
  charge.cost = 60;
  const Taken taken = take(*ledger, charge);
  ports::Call call;
  ASSERT_TRUE(succeeded(ledger->settle(call, charge, taken, 10)));
  charge.cost = 90;
  EXPECT_TRUE(take(*ledger, charge).allowed);
}

}  // namespace
}  // namespace kbase::tests
