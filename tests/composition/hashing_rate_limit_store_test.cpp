// SPDX-License-Identifier: Apache-2.0
#include "app/composition/backends.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "adapters/memory/rate_limit_store.hpp"
#include "plugins/conformance/fixtures.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {

using ports::AcquireRequest;
using ports::Decision;

constexpr std::string_view kSecret = "a secret of thirty-two characters";

/// In-memory rate limiter that records the requests it receives.
class RecordingRateLimiter final : public ports::RateLimitStore {
 public:
  RecordingRateLimiter(const ports::Clock& clock, std::vector<AcquireRequest>& requests)
      : rate_limiter_(clock, {}), requests_(requests) {}

  Capabilities capabilities() const override { return {false, true}; }
  Status acquire(ports::Call& call, std::span<const AcquireRequest* const> requests,
                 std::span<Decision* const> decisions) override {
    for (const AcquireRequest* const request : requests) requests_.push_back(*request);
    return rate_limiter_.acquire(call, requests, decisions);
  }
  Status adjust(ports::Call& call, const AcquireRequest& request, const Decision& decision,
                std::uint32_t used) override {
    return rate_limiter_.adjust(call, request, decision, used);
  }
  Status health(ports::Call&) override { return {}; }

 private:
  memory::MemoryRateLimitStore rate_limiter_;
  std::vector<AcquireRequest>& requests_;
};

class HashingRateLimitStore : public testing::Test {
 protected:
  Decision acquire(ports::RateLimitStore& rate_limiter, const AcquireRequest& request) {
    const AcquireRequest* const requests[] = {&request};
    Decision decision;
    Decision* const decisions[] = {&decision};
    ports::Call call;
    EXPECT_TRUE(succeeded(rate_limiter.acquire(call, requests, decisions)));
    return decision;
  }

  std::unique_ptr<composition::HashingRateLimitStore> make_store(std::string_view secret) {
    return std::make_unique<composition::HashingRateLimitStore>(
        std::make_unique<RecordingRateLimiter>(clock_, requests_), secret);
  }

  static AcquireRequest request_with(std::uint8_t client_id, std::uint8_t fallback_bucket = 0) {
    AcquireRequest request;
    request.client_id = {client_id};
    if (fallback_bucket != 0) request.fallback_bucket = {fallback_bucket};
    request.limits = {3, 0};
    return request;
  }

  conformance::ManualClock clock_;
  std::vector<AcquireRequest> requests_;
};

TEST_F(HashingRateLimitStore, HidesClientAndFallbackBucketFromTheRateLimiter) {
  const auto rate_limiter = make_store(kSecret);
  const AcquireRequest request = request_with(1, 2);
  acquire(*rate_limiter, request);
  EXPECT_NE(requests_[0].client_id, request.client_id);
  EXPECT_NE(requests_[0].fallback_bucket, request.fallback_bucket);
  EXPECT_EQ(requests_[0].limits, request.limits);
  EXPECT_EQ(requests_[0].cost, request.cost);
}

TEST_F(HashingRateLimitStore, HashesTheSameWithOneSecretAndDifferentlyWithEachOther) {
  acquire(*make_store(kSecret), request_with(1));
  acquire(*make_store(kSecret), request_with(1));
  acquire(*make_store("another secret of thirty-two chars"), request_with(1));
  EXPECT_EQ(requests_[0].client_id, requests_[1].client_id);
  EXPECT_NE(requests_[0].client_id, requests_[2].client_id);
}

TEST_F(HashingRateLimitStore, SeparatesAClientFromAFallbackBucketOfTheSameHash) {
  acquire(*make_store(kSecret), request_with(1, 1));
  EXPECT_NE(requests_[0].client_id, requests_[0].fallback_bucket);
}

TEST_F(HashingRateLimitStore, AddsNoFallbackBucket) {
  acquire(*make_store(kSecret), request_with(1));
  EXPECT_EQ(requests_[0].fallback_bucket, model::ClientId{});
}

TEST_F(HashingRateLimitStore, CountsEachClientSeparately) {
  const auto rate_limiter = make_store(kSecret);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(acquire(*rate_limiter, request_with(1)).allowed);
  EXPECT_FALSE(acquire(*rate_limiter, request_with(1)).allowed);
  EXPECT_EQ(acquire(*rate_limiter, request_with(2)).minute.remaining, 2u);
}

TEST_F(HashingRateLimitStore, AdjustsTheChargedClient) {
  const auto rate_limiter = make_store(kSecret);
  AcquireRequest charge = request_with(1);
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
