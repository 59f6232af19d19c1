// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/keys_and_plans.hpp"

#include <gtest/gtest.h>

#include <string>

#include "plugins/conformance/fixtures.hpp"
#include "tests/support/counting_random.hpp"

namespace kbase::tests {
namespace {

using namespace std::chrono_literals;
using Mode = ports::AcquireRequest::Mode;
using Verdict = ports::Admission::Verdict;

constexpr model::Limits kPublic{10, 1000};

/// Admits every request with the admission that a test sets. admission_without_charge() reports full limits.
class FixedAccess final : public ports::Access {
 public:
  ports::Admission admit(ports::Call&, const ports::Client&, Mode) override { return fixed_admission; }
  ports::Admission admission_without_charge(const ports::Client&) const override {
    ports::Admission admission;
    admission.plan.limits = kPublic;
    admission.decision.minute.remaining = kPublic.per_minute;
    return admission;
  }
  bool is_inline(std::optional<std::string_view>) const override { return true; }

  ports::Admission fixed_admission;
};

class LastQuota : public testing::Test {
 protected:
  LastQuota() {
    access_.fixed_admission.client_id = model::ClientId{1};
    access_.fixed_admission.plan.limits = kPublic;
    access_.fixed_admission.decision = {true, {4, clock_.now() + 30s}, {400, clock_.now() + 12h}};
  }

  void admit(const ports::Client& client) {
    ports::Call call;
    quota_.admit(call, client, Mode::Charge);
  }

  std::uint32_t shown_to(const ports::Client& client) const {
    return quota_.admission_without_charge(client).decision.minute.remaining;
  }

  conformance::ManualClock clock_;
  CountingRandom random_;
  FixedAccess access_;
  runtime::LastQuota quota_{access_, clock_, random_};
};

constexpr ports::Client kClient{"192.0.2.1", std::nullopt};

TEST_F(LastQuota, IsThatOfTheLastAdmission) {
  admit(kClient);
  access_.fixed_admission.decision.minute.remaining = 3;
  admit(kClient);
  const ports::Admission shown = quota_.admission_without_charge(kClient);
  EXPECT_EQ(shown.decision.minute.remaining, 3u);
  EXPECT_EQ(shown.decision.minute.reset, clock_.now() + 30s);
  EXPECT_EQ(shown.decision.day.remaining, 400u);
  EXPECT_EQ(shown.plan.limits, kPublic);
  EXPECT_EQ(shown.client_id, model::ClientId{1});
  EXPECT_EQ(shown.verdict, Verdict::Admitted);
}

TEST_F(LastQuota, IsSeparateForEachClient) {
  admit(kClient);
  EXPECT_EQ(shown_to({"192.0.2.2", std::nullopt}), 10u);
}

TEST_F(LastQuota, IsShownForAKeyFromEveryAddress) {
  access_.fixed_admission.has_key = true;
  access_.fixed_admission.plan.limits = {60, 10'000};
  admit({"192.0.2.1", "kb_key"});
  const ports::Admission shown = quota_.admission_without_charge({"192.0.2.9", "kb_key"});
  EXPECT_TRUE(shown.has_key);
  EXPECT_EQ(shown.plan.limits, (model::Limits{60, 10'000}));
  EXPECT_EQ(shown.decision.minute.remaining, 4u);
  EXPECT_EQ(shown_to(kClient), 10u) << "its address has made no request";
}

TEST_F(LastQuota, IsThatOfTheAddressForABadKey) {
  access_.fixed_admission.verdict = Verdict::BadKey;
  admit({"192.0.2.1", "kb_bad"});
  EXPECT_EQ(shown_to(kClient), 4u);
  EXPECT_EQ(shown_to({"192.0.2.1", "kb_worse"}), 4u);
}

TEST_F(LastQuota, IsFullAfterTheWindowResets) {
  admit(kClient);
  clock_.advance(30s);
  const ports::Admission shown = quota_.admission_without_charge(kClient);
  EXPECT_EQ(shown.decision.minute.remaining, 10u);
  EXPECT_EQ(shown.decision.minute.reset, clock_.now() + 60s);
  EXPECT_EQ(shown.decision.day.remaining, 400u);
}

TEST_F(LastQuota, IsNotReplacedByADecisionWithoutTheRateLimiter) {
  admit(kClient);
  access_.fixed_admission.decision.minute.remaining = 10;
  for (const Verdict verdict : {Verdict::Unavailable, Verdict::KeyUnchecked}) {
    access_.fixed_admission.verdict = verdict;
    admit(kClient);
    EXPECT_EQ(shown_to(kClient), 4u);
  }
}

TEST_F(LastQuota, IsEvictedEventually) {
  admit(kClient);
  int client = 0;
  for (; client < 1'000'000 && shown_to(kClient) == 4u; ++client)
    admit({"address " + std::to_string(client), std::nullopt});
  EXPECT_EQ(shown_to(kClient), 10u) << "the newest client replaced it";
  EXPECT_GT(client, 10) << "a few other clients did not replace it";
}

}  // namespace
}  // namespace kbase::tests
