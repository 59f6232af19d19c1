// SPDX-License-Identifier: Apache-2.0
#include "app/composition/rate_limiting.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "adapters/memory/rate_limit_store.hpp"
#include "plugins/conformance/manual_clock.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {

using ports::AcquireRequest;
using ports::Decision;

constexpr std::string_view kSecret = "a secret of thirty-two characters";

/// In-memory rate limiter that records the requests it receives.
class OpenRateLimiter final : public ports::RateLimitStore {
 public:
  OpenRateLimiter(const ports::Clock& clock, std::vector<AcquireRequest>& asked)
      : rate_limiter_(clock, {}), asked_(asked) {}

  Capabilities capabilities() const override { return {false, true}; }
  model::Status acquire(ports::Call& call, std::span<const AcquireRequest* const> requests,
                        std::span<Decision* const> decisions) override {
    for (const AcquireRequest* const request : requests) asked_.push_back(*request);
    return rate_limiter_.acquire(call, requests, decisions);
  }
  model::Status adjust(ports::Call& call, const AcquireRequest& request, const Decision& decision,
                       std::uint32_t used) override {
    return rate_limiter_.adjust(call, request, decision, used);
  }
  model::Status health(ports::Call&) override { return {}; }

 private:
  memory::MemoryRateLimitStore rate_limiter_;
  std::vector<AcquireRequest>& asked_;
};

class HashingRateLimitStore : public testing::Test {
 protected:
  Decision acquire(ports::RateLimitStore& rate_limiter, const AcquireRequest& wanted) {
    const AcquireRequest* const requests[] = {&wanted};
    Decision answer;
    Decision* const decisions[] = {&answer};
    ports::Call call;
    EXPECT_TRUE(succeeded(rate_limiter.acquire(call, requests, decisions)));
    return answer;
  }

  std::unique_ptr<composition::HashingRateLimitStore> sealed(std::string_view secret) {
    return std::make_unique<composition::HashingRateLimitStore>(std::make_unique<OpenRateLimiter>(clock_, asked_),
                                                                secret);
  }

  static AcquireRequest take_of(std::uint8_t client_id, std::uint8_t fallback_bucket = 0) {
    AcquireRequest request;
    request.client_id = {client_id};
    if (fallback_bucket != 0) request.fallback_bucket = {fallback_bucket};
    request.limits = {3, 0};
    return request;
  }

  conformance::ManualClock clock_;
  std::vector<AcquireRequest> asked_;
};

TEST_F(HashingRateLimitStore, ShowsTheLedgerNeitherSubjectNorGroup) {
  const auto rate_limiter = sealed(kSecret);
  const AcquireRequest wanted = take_of(1, 2);
  acquire(*rate_limiter, wanted);
  EXPECT_NE(asked_[0].client_id, wanted.client_id);
  EXPECT_NE(asked_[0].fallback_bucket, wanted.fallback_bucket);
  EXPECT_EQ(asked_[0].limits, wanted.limits);
  EXPECT_EQ(asked_[0].cost, wanted.cost);
}

TEST_F(HashingRateLimitStore, IsTheSameForOneSecretAndAnotherForEachOther) {
  acquire(*sealed(kSecret), take_of(1));
  acquire(*sealed(kSecret), take_of(1));
  acquire(*sealed("another secret of thirty-two chars"), take_of(1));
  EXPECT_EQ(asked_[0].client_id, asked_[1].client_id);
  EXPECT_NE(asked_[0].client_id, asked_[2].client_id);
}

TEST_F(HashingRateLimitStore, KeepsASubjectApartFromAGroupOfTheSameHash) {
  acquire(*sealed(kSecret), take_of(1, 1));
  EXPECT_NE(asked_[0].client_id, asked_[0].fallback_bucket);
}

TEST_F(HashingRateLimitStore, LeavesWhoIsInNoGroupWithoutOne) {
  acquire(*sealed(kSecret), take_of(1));
  EXPECT_EQ(asked_[0].fallback_bucket, model::ClientId{});
}

TEST_F(HashingRateLimitStore, CountsEachSubjectForItself) {
  const auto rate_limiter = sealed(kSecret);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(acquire(*rate_limiter, take_of(1)).allowed);
  EXPECT_FALSE(acquire(*rate_limiter, take_of(1)).allowed);
  EXPECT_EQ(acquire(*rate_limiter, take_of(2)).minute.remaining, 2u);
}

TEST_F(HashingRateLimitStore, SettlesTheSubjectThatItCharged) {
  const auto rate_limiter = sealed(kSecret);
  AcquireRequest charge = take_of(1);
  charge.limits = {0, 100};
  charge.cost = 60;
  const Decision decision = acquire(*rate_limiter, charge);
  ports::Call call;
  ASSERT_TRUE(succeeded(rate_limiter->adjust(call, charge, decision, 10)));
  charge.cost = 90;
  EXPECT_TRUE(acquire(*rate_limiter, charge).allowed);
}

}  // namespace
}  // namespace kbase::tests
