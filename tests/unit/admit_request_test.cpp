// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/admit_request.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "plugins/conformance/fixtures.hpp"
#include "tests/support/mocks/driven/api_key_store.hpp"
#include "tests/support/mocks/driven/rate_limit_store.hpp"
#include "tests/support/outcome.hpp"
#include "tests/unit/access_fixture.hpp"

namespace kbase::tests {
namespace {

using namespace std::chrono_literals;
using ports::AcquireRequest;
using ports::Decision;
using trompeloeil::_;
using Verdict = ports::Admission::Verdict;

constexpr std::string_view kAddress = "192.0.2.1";
const std::string kKeyText = model::key_text({});

class AdmitRequest : public testing::Test {
 protected:
  AdmitRequest() {
    key_.id = "key_a";
    key_.plan = "developer";
    key_.digest = digest_.sha256(kKeyText);
    answer_ = {true, {7, clock_.now() + 30s}, {700, clock_.now() + 12h}};
  }

  using FoundKey = Result<std::optional<model::ApiKey>>;
  inline static const FoundKey kNoUser = std::optional<model::ApiKey>();

  /// Admits a request while the key store returns `found` and the rate limiter returns `answer_`. The requests to the
  /// rate limiter are in `acquires_`.
  ports::Admission admit(std::optional<std::string_view> credential, const FoundKey& found = kNoUser,
                         AcquireRequest::Mode mode = AcquireRequest::Mode::Charge) {
    ALLOW_CALL(keys_, find(_, _)).RETURN(found);
    ALLOW_CALL(rate_limiter_, acquire(_, _, _)).LR_SIDE_EFFECT(acquires_.push_back(*_2[0])).LR_RETURN(give(_2, _3));
    return access_.admit(call_, {kAddress, credential}, mode);
  }

  ports::Admission admit_with_key(AcquireRequest::Mode mode = AcquireRequest::Mode::Charge) {
    return admit(kKeyText, FoundKey(key_), mode);
  }

  Status give(std::span<const AcquireRequest* const> requests, std::span<Decision* const> decisions) const {
    EXPECT_EQ(requests.size(), 1u);
    EXPECT_EQ(decisions.size(), 1u);
    if (rate_limiter_error_) return *rate_limiter_error_;
    *decisions[0] = answer_;
    return {};
  }

  conformance::ManualClock clock_;
  MockApiKeyStore keys_;
  MockRateLimitStore rate_limiter_;
  ConfiguredPlans plans_;
  ToyDigest digest_;
  usecases::AdmitRequest access_{{keys_, rate_limiter_, plans_, digest_, clock_}};
  ports::Call call_;
  model::ApiKey key_;
  Decision answer_;
  std::optional<Error> rate_limiter_error_;
  std::vector<AcquireRequest> acquires_;
};

TEST_F(AdmitRequest, ChargesOneToTheAddressUnderThePublicPlanWithoutAKey) {
  const auto admission = admit(std::nullopt);
  EXPECT_EQ(admission.verdict, Verdict::Admitted);
  EXPECT_FALSE(admission.has_key);
  EXPECT_EQ(admission.scopes, model::kDefaultScopes);
  EXPECT_EQ(admission.plan.name, "public");
  ASSERT_EQ(acquires_.size(), 1u);
  EXPECT_EQ(acquires_[0].cost, 1u);
  EXPECT_EQ(acquires_[0].mode, AcquireRequest::Mode::Charge);
  EXPECT_EQ(acquires_[0].limits, (model::Limits{10, 1000}));
}

TEST_F(AdmitRequest, DoesNotQueryTheKeyStoreWithoutAKey) {
  FORBID_CALL(keys_, find(_, _));
  REQUIRE_CALL(rate_limiter_, acquire(_, _, _)).LR_RETURN(give(_2, _3));
  EXPECT_EQ(access_.admit(call_, {kAddress, std::nullopt}, AcquireRequest::Mode::Charge).verdict, Verdict::Admitted);
}

TEST_F(AdmitRequest, ChargesTheKeyUnderItsPlan) {
  key_.scopes = static_cast<model::Scopes>(model::Scope::Llm);
  const auto admission = admit_with_key();
  EXPECT_EQ(admission.verdict, Verdict::Admitted);
  EXPECT_TRUE(admission.has_key);
  EXPECT_EQ(admission.scopes, key_.scopes);
  EXPECT_EQ(admission.plan.name, "developer");
  ASSERT_EQ(acquires_.size(), 1u);
  EXPECT_EQ(acquires_[0].limits, (model::Limits{60, 10'000}));
  EXPECT_EQ(admission.client_id, acquires_[0].client_id);
}

TEST_F(AdmitRequest, LooksUpAKeyOnlyByItsDigest) {
  REQUIRE_CALL(keys_, find(_, digest_.sha256(kKeyText))).RETURN(FoundKey(key_));
  REQUIRE_CALL(rate_limiter_, acquire(_, _, _)).LR_RETURN(give(_2, _3));
  EXPECT_TRUE(access_.admit(call_, {kAddress, kKeyText}, AcquireRequest::Mode::Charge).has_key);
}

TEST_F(AdmitRequest, ReturnsTheCountsOfTheRateLimiter) {
  const auto admission = admit(std::nullopt);
  EXPECT_EQ(admission.decision.minute.remaining, 7u);
  EXPECT_EQ(admission.decision.minute.reset, clock_.now() + 30s);
  EXPECT_EQ(admission.decision.day.remaining, 700u);
  EXPECT_EQ(admission.decision.day.reset, clock_.now() + 12h);
}

TEST_F(AdmitRequest, CountsAKeyOverAllAddressesAndApartFromThem) {
  admit_with_key();
  REQUIRE_CALL(keys_, find(_, _)).RETURN(FoundKey(key_));
  REQUIRE_CALL(rate_limiter_, acquire(_, _, _)).LR_SIDE_EFFECT(acquires_.push_back(*_2[0])).LR_RETURN(give(_2, _3));
  access_.admit(call_, {"192.0.2.99", kKeyText}, AcquireRequest::Mode::Charge);
  admit(std::nullopt);
  EXPECT_EQ(acquires_[0].client_id, acquires_[1].client_id);
  EXPECT_NE(acquires_[0].client_id, acquires_[2].client_id);
}

TEST_F(AdmitRequest, KeepsAKeyWhoseIdIsAnAddressApartFromTheAddress) {
  key_.id = kAddress;
  admit_with_key();
  admit(std::nullopt);
  EXPECT_NE(acquires_[0].client_id, acquires_[1].client_id);
}

TEST_F(AdmitRequest, ReturnsTheClientThatTheRateLimiterCounts) {
  const auto admission = admit(std::nullopt);
  EXPECT_EQ(admission.client_id, acquires_[0].client_id);
  EXPECT_EQ(admission.client_id, admit("no key").client_id) << "a bad key is counted for the address";
}

TEST_F(AdmitRequest, LimitsARequestThatTheRateLimiterDenies) {
  answer_.allowed = false;
  EXPECT_EQ(admit(std::nullopt).verdict, Verdict::Limited);
  const auto admission = admit_with_key();
  EXPECT_EQ(admission.verdict, Verdict::Limited);
  EXPECT_TRUE(admission.has_key);
  EXPECT_EQ(admission.plan.name, "developer");
}

TEST_F(AdmitRequest, ChargesABadKeyToTheAddress) {
  admit(std::nullopt);
  const auto unknown = admit(kKeyText);
  EXPECT_EQ(unknown.verdict, Verdict::BadKey);
  EXPECT_FALSE(unknown.has_key);
  EXPECT_EQ(unknown.plan.name, "public");
  ASSERT_EQ(acquires_.size(), 2u);
  EXPECT_EQ(acquires_[1].client_id, acquires_[0].client_id);
  EXPECT_EQ(acquires_[1].mode, AcquireRequest::Mode::Charge);
  EXPECT_EQ(acquires_[1].limits, (model::Limits{10, 1000}));
}

TEST_F(AdmitRequest, RejectsAMalformedKeyWithoutALookUp) {
  std::string typo = kKeyText;
  typo[10] = 'x';
  FORBID_CALL(keys_, find(_, _));
  ALLOW_CALL(rate_limiter_, acquire(_, _, _)).LR_RETURN(give(_2, _3));
  for (const std::string& text : {std::string(), std::string("secret"), typo, kKeyText + " "})
    EXPECT_EQ(access_.admit(call_, {kAddress, text}, AcquireRequest::Mode::Charge).verdict, Verdict::BadKey) << text;
}

TEST_F(AdmitRequest, RejectsAnExpiredKey) {
  key_.expires = clock_.now() + 1ms;
  EXPECT_EQ(admit_with_key().verdict, Verdict::Admitted);
  clock_.advance(1ms);
  EXPECT_EQ(admit_with_key().verdict, Verdict::BadKey);
}

TEST_F(AdmitRequest, RejectsARevokedKey) {
  key_.revoked = true;
  EXPECT_EQ(admit_with_key().verdict, Verdict::BadKey);
}

TEST_F(AdmitRequest, AcceptsTheOldTextOfARotatedKeyDuringTheGracePeriod) {
  key_.previous_digest = key_.digest;
  key_.digest.fill(9);
  key_.previous_expires = clock_.now() + 24h;
  EXPECT_EQ(admit_with_key().verdict, Verdict::Admitted);
  clock_.advance(24h);
  EXPECT_EQ(admit_with_key().verdict, Verdict::BadKey);
}

TEST_F(AdmitRequest, ChecksTheLimitBeforeItRejectsABadKey) {
  answer_.allowed = false;
  EXPECT_EQ(admit(kKeyText).verdict, Verdict::Limited);
  EXPECT_EQ(admit("no key").verdict, Verdict::Limited);
}

TEST_F(AdmitRequest, RejectsNoUnchargedRequest) {
  answer_ = {false, {0, clock_.now() + 1s}, {5, clock_.now() + 12h}};
  for (const auto& credential : {std::optional<std::string_view>(), std::optional<std::string_view>("no key"),
                                 std::optional<std::string_view>(kKeyText)}) {
    const auto admission = admit(credential, kNoUser, AcquireRequest::Mode::Peek);
    EXPECT_EQ(admission.verdict, Verdict::Admitted);
    EXPECT_EQ(admission.decision.minute.remaining, 0u);
    EXPECT_EQ(acquires_.back().mode, AcquireRequest::Mode::Peek);
    EXPECT_EQ(admission.plan.name, "public") << "the counts of the address";
  }
}

TEST_F(AdmitRequest, ReturnsTheCountsOfAValidKeyForAnUnchargedRequest) {
  const auto admission = admit_with_key(AcquireRequest::Mode::Peek);
  EXPECT_EQ(admission.verdict, Verdict::Admitted);
  EXPECT_TRUE(admission.has_key);
  EXPECT_EQ(admission.plan.name, "developer");
  EXPECT_EQ(acquires_.back().limits, (model::Limits{60, 10'000}));
}

TEST_F(AdmitRequest, NeitherRejectsNorChargesAKeyThatCannotBeChecked) {
  const auto admission = admit(kKeyText, error_of(ErrorCode::Unavailable));
  EXPECT_EQ(admission.verdict, Verdict::KeyUnchecked);
  EXPECT_TRUE(acquires_.empty());
  EXPECT_EQ(admission.decision.minute.remaining, 10u);
  EXPECT_EQ(admission.decision.day.remaining, 1000u);
}

TEST_F(AdmitRequest, ReturnsTheCountsOfTheAddressForAnUnchargedRequestWhoseKeyCannotBeChecked) {
  const auto admission = admit(kKeyText, error_of(ErrorCode::Deadline), AcquireRequest::Mode::Peek);
  EXPECT_EQ(admission.verdict, Verdict::Admitted);
  EXPECT_FALSE(admission.has_key);
  EXPECT_EQ(admission.decision.minute.remaining, 7u);
}

TEST_F(AdmitRequest, IsUnavailableIfTheRateLimiterDoesNotAnswer) {
  rate_limiter_error_ = error_of(ErrorCode::Deadline);
  const auto admission = admit_with_key();
  EXPECT_EQ(admission.verdict, Verdict::Unavailable);
  EXPECT_EQ(admission.decision.minute.remaining, 60u);
  EXPECT_EQ(admission.decision.day.remaining, 10'000u);
  EXPECT_EQ(admit("no key").verdict, Verdict::Unavailable);
}

TEST_F(AdmitRequest, RejectsAnExactChargeLikeAnyCharge) {
  EXPECT_EQ(admit(kKeyText, error_of(ErrorCode::Unavailable), AcquireRequest::Mode::ChargeExactly).verdict,
            Verdict::KeyUnchecked);
  EXPECT_EQ(admit("no key", kNoUser, AcquireRequest::Mode::ChargeExactly).verdict, Verdict::BadKey);
  EXPECT_EQ(acquires_.back().mode, AcquireRequest::Mode::ChargeExactly);
  answer_.allowed = false;
  EXPECT_EQ(admit_with_key(AcquireRequest::Mode::ChargeExactly).verdict, Verdict::Limited);
  rate_limiter_error_ = error_of(ErrorCode::Unavailable);
  EXPECT_EQ(admit_with_key(AcquireRequest::Mode::ChargeExactly).verdict, Verdict::Unavailable);
}

TEST_F(AdmitRequest, ReturnsTheRetryTimeOfAnUnavailableStore) {
  Error unavailable = error_of(ErrorCode::Unavailable);
  unavailable.retry_after = 3s;
  EXPECT_EQ(admit(kKeyText, unavailable).retry_after, 3s) << "the key store";
  rate_limiter_error_ = unavailable;
  EXPECT_EQ(admit_with_key().retry_after, 3s) << "the rate limiter";
}

TEST_F(AdmitRequest, RejectsNoUnchargedRequestIfTheRateLimiterDoesNotAnswer) {
  rate_limiter_error_ = error_of(ErrorCode::Unavailable);
  const auto admission = admit(std::nullopt, kNoUser, AcquireRequest::Mode::Peek);
  EXPECT_EQ(admission.verdict, Verdict::Admitted);
  EXPECT_EQ(admission.decision.minute.remaining, 10u);
}

TEST_F(AdmitRequest, AppliesThePublicLimitsToAKeyWhosePlanIsGone) {
  key_.plan = "enterprise";
  const auto admission = admit_with_key();
  EXPECT_EQ(admission.verdict, Verdict::Admitted);
  EXPECT_TRUE(admission.has_key);
  EXPECT_EQ(acquires_[0].limits, (model::Limits{10, 1000}));
}

TEST_F(AdmitRequest, AppliesThePlanOfTheOriginToARequestWithoutAKey) {
  plans_.limits["site"] = {40, 4000};
  plans_.origins["https://docs.example.org"] = "site";
  ALLOW_CALL(keys_, find(_, _)).RETURN(FoundKey(key_));
  ALLOW_CALL(rate_limiter_, acquire(_, _, _)).LR_SIDE_EFFECT(acquires_.push_back(*_2[0])).LR_RETURN(give(_2, _3));
  const auto plan_of = [&](std::optional<std::string_view> credential, std::string_view origin) {
    const ports::Client client{kAddress, credential, {}, origin};
    EXPECT_EQ(access_.admission_without_charge(client).plan.name,
              credential || origin != "https://docs.example.org" ? "public" : "site");
    return access_.admit(call_, client, AcquireRequest::Mode::Charge).plan.name;
  };
  EXPECT_EQ(plan_of(std::nullopt, "https://docs.example.org"), "site");
  EXPECT_EQ(plan_of(std::nullopt, "https://other.example.org"), "public");
  EXPECT_EQ(plan_of(std::nullopt, ""), "public");
  EXPECT_EQ(plan_of("no key", "https://docs.example.org"), "public") << "an origin does not make guessing keys cheaper";
  EXPECT_EQ(plan_of(kKeyText, "https://docs.example.org"), "developer");
  EXPECT_EQ(acquires_[0].limits, (model::Limits{40, 4000}));
  EXPECT_EQ(acquires_[0].client_id, acquires_[1].client_id) << "an address has one count, whatever its plan";
}

TEST_F(AdmitRequest, SetsTheFallbackBucketToTheNetworkOfAnAddressButNotForAKey) {
  ALLOW_CALL(keys_, find(_, _)).RETURN(FoundKey(key_));
  ALLOW_CALL(rate_limiter_, acquire(_, _, _)).LR_SIDE_EFFECT(acquires_.push_back(*_2[0])).LR_RETURN(give(_2, _3));
  const auto group_of = [&](const ports::Client& client) {
    access_.admit(call_, client, AcquireRequest::Mode::Charge);
    return acquires_.back().fallback_bucket;
  };
  const auto fallback_bucket = group_of({"192.0.2.1", std::nullopt, "192.0.2.0/24"});
  EXPECT_NE(fallback_bucket, model::ClientId{});
  EXPECT_NE(fallback_bucket, acquires_.back().client_id);
  EXPECT_EQ(group_of({"192.0.2.2", std::nullopt, "192.0.2.0/24"}), fallback_bucket);
  EXPECT_NE(group_of({"192.0.3.1", std::nullopt, "192.0.3.0/24"}), fallback_bucket);
  EXPECT_EQ(group_of({"192.0.2.1", kKeyText, "192.0.2.0/24"}), model::ClientId{});
}

TEST_F(AdmitRequest, LimitsTheKeyLookUpOfAnUnchargedRequestToHalfASecond) {
  std::vector<std::chrono::milliseconds> waits;
  ALLOW_CALL(keys_, find(_, _))
      .LR_SIDE_EFFECT(
          waits.push_back(std::chrono::duration_cast<std::chrono::milliseconds>(_1.deadline - clock_.steady())))
      .RETURN(FoundKey(key_));
  ALLOW_CALL(rate_limiter_, acquire(_, _, _)).LR_RETURN(give(_2, _3));
  for (const auto& left : {30'000ms, 100ms}) {
    call_.deadline = clock_.steady() + left;
    for (const auto mode : {AcquireRequest::Mode::Peek, AcquireRequest::Mode::Charge})
      access_.admit(call_, {kAddress, kKeyText}, mode);
  }
  EXPECT_EQ(waits, (std::vector<std::chrono::milliseconds>{500ms, 30'000ms, 100ms, 100ms}));
}

TEST_F(AdmitRequest, ReturnsTheIdOfTheChargedKey) {
  EXPECT_EQ(admit_with_key().key_id, "key_a");
  EXPECT_EQ(admit("no key").key_id, "");
}

TEST_F(AdmitRequest, AppliesAChangedPlan) {
  plans_.limits["public"] = {3, 0};
  EXPECT_EQ(admit(std::nullopt).plan.limits, (model::Limits{3, 0}));
  EXPECT_EQ(acquires_[0].limits, (model::Limits{3, 0}));
}

TEST_F(AdmitRequest, ReturnsTheFullPublicLimitsWithoutARateLimiterQuery) {
  const auto admission = access_.admission_without_charge({kAddress, kKeyText});
  EXPECT_EQ(admission.verdict, Verdict::Admitted);
  EXPECT_EQ(admission.plan.name, "public");
  EXPECT_EQ(admission.decision.minute.remaining, 10u);
  EXPECT_EQ(admission.decision.minute.reset, clock_.now() + 60s);
  EXPECT_EQ(admission.decision.day.remaining, 1000u);
  EXPECT_EQ(admission.decision.day.reset, model::Instant(std::chrono::sys_days(2026y / 3 / 15)));
  EXPECT_EQ(admission.client_id, admit(std::nullopt).client_id);
}

TEST_F(AdmitRequest, IsInlineIfTheRateLimiterAndTheKeyStoreAre) {
  for (const bool is_rate_limiter_inline : {true, false})
    for (const bool are_keys_inline : {true, false}) {
      ALLOW_CALL(rate_limiter_, capabilities())
          .RETURN(ports::RateLimitStore::Capabilities{is_rate_limiter_inline, false});
      ALLOW_CALL(keys_, has_inline_reads()).RETURN(are_keys_inline);
      EXPECT_EQ(access_.is_inline(kKeyText), is_rate_limiter_inline && are_keys_inline);
    }
}

TEST_F(AdmitRequest, IsInlineWithoutAKeyLookUp) {
  ALLOW_CALL(rate_limiter_, capabilities()).RETURN(ports::RateLimitStore::Capabilities{true, false});
  ALLOW_CALL(keys_, has_inline_reads()).RETURN(false);
  EXPECT_TRUE(access_.is_inline(std::nullopt));
  EXPECT_TRUE(access_.is_inline("no key"));
  EXPECT_FALSE(access_.is_inline(kKeyText));
}

}  // namespace
}  // namespace kbase::tests
