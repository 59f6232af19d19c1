// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/request_accounting.hpp"

#include <gtest/gtest.h>

#include <string>

#include "plugins/conformance/manual_clock.hpp"
#include "tests/support/counting_random.hpp"

namespace kbase::tests {
namespace {

using namespace std::chrono_literals;
using Mode = ports::AcquireRequest::Mode;
using Verdict = ports::Admission::Verdict;

constexpr model::Limits kPublic{10, 1000};

/// Admits every request with the admission that a test sets. unasked() reports full limits.
class ToldAccess final : public ports::Access {
 public:
  ports::Admission admit(ports::Call&, const ports::Client&, Mode) override { return told; }
  ports::Admission admission_without_charge(const ports::Client&) const override {
    ports::Admission admission;
    admission.plan.limits = kPublic;
    admission.decision.minute.remaining = kPublic.per_minute;
    return admission;
  }
  bool is_inline(std::optional<std::string_view>) const override { return true; }

  ports::Admission told;
};

class LastQuota : public testing::Test {
 protected:
  LastQuota() {
    access_.told.client_id = model::ClientId{1};
    access_.told.plan.limits = kPublic;
    access_.told.decision = {true, {4, clock_.now() + 30s}, {400, clock_.now() + 12h}};
  }

  void admit(const ports::Client& client) {
    ports::Call call;
    figures_.admit(call, client, Mode::Charge);
  }

  std::uint32_t shown_to(const ports::Client& client) const {
    return figures_.admission_without_charge(client).decision.minute.remaining;
  }

  conformance::ManualClock clock_;
  CountingRandom random_;
  ToldAccess access_;
  runtime::LastQuota figures_{access_, clock_, random_};
};

constexpr ports::Client kClient{"192.0.2.1", std::nullopt};

TEST_F(LastQuota, AreThoseOfTheLastAdmission) {
  admit(kClient);
  access_.told.decision.minute.remaining = 3;
  admit(kClient);
  const ports::Admission shown = figures_.admission_without_charge(kClient);
  EXPECT_EQ(shown.decision.minute.remaining, 3u);
  EXPECT_EQ(shown.decision.minute.reset, clock_.now() + 30s);
  EXPECT_EQ(shown.decision.day.remaining, 400u);
  EXPECT_EQ(shown.plan.limits, kPublic);
  EXPECT_EQ(shown.client_id, model::ClientId{1});
  EXPECT_EQ(shown.verdict, Verdict::Admitted);
}

TEST_F(LastQuota, AreNobodyElses) {
  admit(kClient);
  EXPECT_EQ(shown_to({"192.0.2.2", std::nullopt}), 10u);
}

TEST_F(LastQuota, OfAKeyAreShownWhereverItComesFrom) {
  access_.told.has_key = true;
  access_.told.plan.limits = {60, 10'000};
  admit({"192.0.2.1", "kb_key"});
  const ports::Admission shown = figures_.admission_without_charge({"192.0.2.9", "kb_key"});
  EXPECT_TRUE(shown.has_key);
  EXPECT_EQ(shown.plan.limits, (model::Limits{60, 10'000}));
  EXPECT_EQ(shown.decision.minute.remaining, 4u);
  EXPECT_EQ(shown_to(kClient), 10u) << "its address has made no request";
}

TEST_F(LastQuota, OfABadKeyAreItsAddresss) {
  access_.told.verdict = Verdict::BadKey;
  admit({"192.0.2.1", "kb_bad"});
  EXPECT_EQ(shown_to(kClient), 4u);
  EXPECT_EQ(shown_to({"192.0.2.1", "kb_worse"}), 4u);
}

TEST_F(LastQuota, OfAWindowThatWasResetAreFull) {
  admit(kClient);
  clock_.advance(30s);
  const ports::Admission shown = figures_.admission_without_charge(kClient);
  EXPECT_EQ(shown.decision.minute.remaining, 10u);
  EXPECT_EQ(shown.decision.minute.reset, clock_.now() + 60s);
  EXPECT_EQ(shown.decision.day.remaining, 400u);
}

TEST_F(LastQuota, AreNotReplacedByThoseThatNoLedgerGave) {
  admit(kClient);
  access_.told.decision.minute.remaining = 10;
  for (const Verdict verdict : {Verdict::Unavailable, Verdict::KeyUnchecked}) {
    access_.told.verdict = verdict;
    admit(kClient);
    EXPECT_EQ(shown_to(kClient), 4u);
  }
}

TEST_F(LastQuota, AreForgottenRatherThanKeptForEver) {
  admit(kClient);
  int client = 0;
  for (; client < 1'000'000 && shown_to(kClient) == 4u; ++client)
    admit({"address " + std::to_string(client), std::nullopt});
  EXPECT_EQ(shown_to(kClient), 10u) << "the newest client has taken its place";
  EXPECT_GT(client, 10) << "a handful of others has not";
}

}  // namespace
}  // namespace kbase::tests
