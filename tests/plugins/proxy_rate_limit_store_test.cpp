// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "app/plugin_host/host_table.hpp"
#include "tests/plugins/fake_tables.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {
using std::chrono::milliseconds;

class FakeRateLimitStore final : public FakeTable<FakeRateLimitStore, kb_rate_limit_store_v1, kb_rate_limit_store> {
 public:
  FakeRateLimitStore() {
    table.take = [](kb_rate_limit_store*, kb_call*, const kb_take* const* takes, kb_taken* const* taken,
                    std::size_t count) {
      current->acquires = count;
      for (std::size_t i = 0; i < count; ++i) {
        EXPECT_EQ(takes[i]->struct_size, sizeof(kb_take));
        EXPECT_EQ(taken[i]->struct_size, sizeof(kb_taken));
        std::copy(std::begin(takes[i]->group), std::end(takes[i]->group), current->fallback_bucket.begin());
        *taken[i] = current->given;
        taken[i]->minute_remaining += takes[i]->cost;
      }
      return current->answer;
    };
    table.settle = [](kb_rate_limit_store*, kb_call*, const kb_take* take, const kb_taken* taken, std::uint64_t used) {
      EXPECT_EQ(take->struct_size, sizeof(kb_take));
      EXPECT_EQ(take->cost, 9U);
      EXPECT_EQ(taken->allowed, 1U);
      EXPECT_EQ(taken->day_reset_ms, 86'400'000);
      EXPECT_EQ(used, 4U);
      return current->answer;
    };
    given.allowed = 1;
    given.minute_remaining = 1;
    given.day_remaining = 8;
    given.minute_reset_ms = 60'000;
    given.day_reset_ms = 86'400'000;
  }

  kb_taken given = sized<kb_taken>();
  kb_status answer = KB_OK;
  std::size_t acquires = 0;
  model::ClientId fallback_bucket{};  // of the last acquire
};

class RateLimitStoreProxy : public testing::Test {
 protected:
  Status take() {
    const ports::AcquireRequest* const request = &take_;
    ports::Decision* const answer = &taken_;
    return store_->acquire(call_, {&request, 1}, {&answer, 1});
  }

  HostFixture fixture_;
  FakeRateLimitStore fake_;
  std::unique_ptr<ports::RateLimitStore> store_ =
      plugin_host::open_port<ports::RateLimitStore>(fake_.table, fixture_.host, "{}").value();
  ports::Call call_;
  ports::AcquireRequest take_{.limits = {10, 1000}};
  ports::Decision taken_;
};

TEST_F(RateLimitStoreProxy, AnswersAnAcquire) {
  ASSERT_TRUE(succeeded(take()));
  EXPECT_TRUE(taken_.allowed);
  EXPECT_EQ(taken_.minute.remaining, 2u) << "one more than the fake reports, because the cost is 1";
  EXPECT_EQ(taken_.minute.reset, model::Instant(milliseconds(60'000)));
  EXPECT_EQ(taken_.day.remaining, 8u);
  take_.mode = ports::AcquireRequest::Mode::Peek;
  ASSERT_TRUE(succeeded(take()));
  EXPECT_EQ(taken_.minute.remaining, 1u) << "a peek is free";
}

TEST_F(RateLimitStoreProxy, AnswersManyAcquiresInOneCall) {
  std::vector<ports::AcquireRequest> takes(100, take_);
  for (std::size_t i = 0; i < takes.size(); ++i) takes[i].cost = static_cast<std::uint32_t>(i % 9);
  std::vector<ports::Decision> taken(takes.size());
  std::vector<const ports::AcquireRequest*> requests;
  std::vector<ports::Decision*> answers;
  for (std::size_t i = 0; i < takes.size(); ++i) requests.push_back(&takes[i]), answers.push_back(&taken[i]);
  ASSERT_TRUE(succeeded(store_->acquire(call_, requests, answers)));
  EXPECT_EQ(fake_.acquires, 100u);
  for (std::size_t i = 0; i < taken.size(); ++i) EXPECT_EQ(taken[i].minute.remaining, 1 + i % 9);
}

TEST_F(RateLimitStoreProxy, RejectsInvalidWindows) {
  fake_.given.minute_remaining = 10;  // plus one for the cost
  EXPECT_TRUE(failed(take(), ErrorCode::Internal));
  fake_.given.minute_remaining = 1;
  fake_.given.day_remaining = 1001;
  EXPECT_TRUE(failed(take(), ErrorCode::Internal));
  fake_.given.day_remaining = (std::uint64_t{1} << 32) + 5;
  EXPECT_TRUE(failed(take(), ErrorCode::Internal));
  fake_.given.day_remaining = 1000;
  fake_.given.day_reset_ms = INT64_MAX;
  EXPECT_TRUE(failed(take(), ErrorCode::Internal));
}

TEST_F(RateLimitStoreProxy, ReportsWhichAccountWasCharged) {
  take_.fallback_bucket = {7};
  ASSERT_TRUE(succeeded(take()));
  EXPECT_EQ(fake_.fallback_bucket, take_.fallback_bucket);
  EXPECT_EQ(taken_.account, ports::Decision::Account::Own);
  fake_.given.account = KB_ACCOUNT_SHARED;
  ASSERT_TRUE(succeeded(take()));
  EXPECT_EQ(taken_.account, ports::Decision::Account::Shared);
}

TEST_F(RateLimitStoreProxy, RejectsAccountsThatTheAcquireDidNotName) {
  fake_.given.account = KB_ACCOUNT_SHARED;
  EXPECT_TRUE(failed(take(), ErrorCode::Internal)) << "the client has no fallback bucket";
  take_.fallback_bucket = {7};
  fake_.given.account = 2;
  EXPECT_TRUE(failed(take(), ErrorCode::Internal));
}

TEST_F(RateLimitStoreProxy, IgnoresAWindowWithoutALimit) {
  take_.limits = {0, 1000};
  fake_.given.minute_remaining = 77;
  fake_.given.minute_reset_ms = INT64_MIN;
  ASSERT_TRUE(succeeded(take()));
  EXPECT_EQ(taken_.minute.remaining, 0u);
  EXPECT_EQ(taken_.minute.reset, model::Instant());
}

TEST_F(RateLimitStoreProxy, ReportsThatTheStoreIsUnavailable) {
  fake_.answer = KB_UNAVAILABLE;
  taken_.day.remaining = 5;
  EXPECT_TRUE(failed(take(), ErrorCode::Unavailable));
  EXPECT_EQ(taken_.day.remaining, 5u) << "unchanged";
}

TEST_F(RateLimitStoreProxy, ReadsCapabilitiesFromTheFlagsOfTheTable) {
  EXPECT_FALSE(store_->capabilities().shared);
  fake_.table.capabilities = KB_RATE_LIMIT_CAN_SHARE;
  fake_.table.inline_calls = KB_RATE_LIMIT_INLINE_TAKE;
  EXPECT_TRUE(store_->capabilities().shared);
  EXPECT_TRUE(store_->capabilities().inline_calls);
}

TEST_F(RateLimitStoreProxy, AdjustsAnAcquire) {
  take_.cost = 9;
  taken_ = {true, {}, {1, model::Instant(milliseconds(86'400'000))}, ports::Decision::Account::Own};
  EXPECT_TRUE(succeeded(store_->adjust(call_, take_, taken_, 4)));
  fake_.answer = KB_UNAVAILABLE;
  EXPECT_TRUE(failed(store_->adjust(call_, take_, taken_, 4), ErrorCode::Unavailable));
}

TEST_F(RateLimitStoreProxy, AdjustsNothingIfThePluginCannot) {
  fake_.table.settle = nullptr;
  EXPECT_TRUE(failed(store_->adjust(call_, take_, taken_, 4), ErrorCode::Unsupported));
  fake_.table.settle = [](kb_rate_limit_store*, kb_call*, const kb_take*, const kb_taken*, std::uint64_t) {
    ADD_FAILURE() << "it is beyond the end of the plugin's table";
    return KB_OK;
  };
  fake_.table.struct_size = offsetof(kb_rate_limit_store_v1, settle);
  EXPECT_TRUE(failed(store_->adjust(call_, take_, taken_, 4), ErrorCode::Unsupported));
}

}  // namespace
}  // namespace kbase::tests
