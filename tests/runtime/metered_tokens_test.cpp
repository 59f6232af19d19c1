// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/guarded_rate_limit_store.hpp"

#include <gtest/gtest.h>

#include <string>

#include "adapters/prometheus/prometheus_metrics.hpp"
#include "tests/runtime/guarded_rate_limit_store_fixture.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {
using ports::AcquireRequest;
using ports::Decision;

class MeteredTokenLimiter : public testing::Test {
 protected:
  MeteredTokenLimiter() {
    rate_limiter_.now = [this] { return clock_.steady(); };
  }

  Status reserve(AcquireRequest::Mode mode = AcquireRequest::Mode::ChargeExactly) {
    const AcquireRequest request{{1}, 600, mode, {0, 1000}, {}};
    const AcquireRequest* const requests[] = {&request};
    Decision* const decisions[] = {&decision_};
    ports::Call call;
    return metered_.acquire(call, requests, decisions);
  }
  Status adjust() {
    ports::Call call;
    return metered_.adjust(call, {{1}, 600, AcquireRequest::Mode::ChargeExactly, {0, 1000}, {}}, decision_, 9);
  }

  std::string count_of(std::string_view metric, std::string_view outcome) {
    const std::string text = metrics_.expose().text;
    const std::string series = std::string(metric) + "{outcome=\"" + std::string(outcome) + "\"} ";
    const std::size_t found = text.find(series);
    if (found == std::string::npos) return "no such series";
    const std::size_t start = found + series.size();
    return text.substr(start, text.find('\n', start) - start);
  }
  std::string acquires_with(std::string_view outcome) {
    return count_of("kbase_rate_limit_token_decisions_total", outcome);
  }
  std::string adjustments_with(std::string_view outcome) {
    return count_of("kbase_rate_limit_adjustments_total", outcome);
  }

  conformance::ManualClock clock_;
  prometheus::PrometheusMetrics metrics_;
  EventNames log_;
  RemoteRateLimiter rate_limiter_;
  runtime::MeteredTokenLimiter metered_{rate_limiter_, clock_, metrics_, log_};
  Decision decision_;
};

TEST_F(MeteredTokenLimiter, CountsAcquiresByDecision) {
  ASSERT_TRUE(succeeded(reserve()));
  rate_limiter_.allows = false;
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(succeeded(reserve()));
  rate_limiter_.failure = unavailable();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(failed(reserve(), ErrorCode::Unavailable));
  EXPECT_EQ(acquires_with("allowed"), "1");
  EXPECT_EQ(acquires_with("denied"), "2");
  EXPECT_EQ(acquires_with("failed"), "3");
}

TEST_F(MeteredTokenLimiter, CountsNeitherPeeksNorRequests) {
  ASSERT_TRUE(succeeded(reserve(AcquireRequest::Mode::Peek)));
  EXPECT_EQ(acquires_with("allowed"), "0");
  ASSERT_TRUE(succeeded(reserve()));
  EXPECT_EQ(count_of("kbase_rate_limit_decisions_total", "allowed"), "no such series")
      << "acquired tokens are not allowed requests";
}

TEST_F(MeteredTokenLimiter, CountsAdjustmentsAndLostOnes) {
  ASSERT_TRUE(succeeded(adjust()));
  EXPECT_EQ(rate_limiter_.last_used, 9u);
  rate_limiter_.failure = unavailable();
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(failed(adjust(), ErrorCode::Unavailable));
  EXPECT_EQ(rate_limiter_.adjusted, 3) << "a lost adjust is not sent again";
  EXPECT_EQ(adjustments_with("settled"), "1");
  EXPECT_EQ(adjustments_with("failed"), "2");
}

TEST_F(MeteredTokenLimiter, LogsAFailureOnceAMinute) {
  using Names = std::vector<std::string>;
  rate_limiter_.failure = unavailable();
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(reserve());
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(adjust());
  EXPECT_EQ(log_.names, (Names{"rate_limit.failed", "rate_limit.unadjusted"}));
  clock_.advance(60s);
  EXPECT_FALSE(adjust());
  EXPECT_EQ(log_.names, (Names{"rate_limit.failed", "rate_limit.unadjusted", "rate_limit.unadjusted"}));
}

TEST_F(MeteredTokenLimiter, CountsNoFailureIfTheCallerLeft) {
  rate_limiter_.failure = error_of(ErrorCode::Cancelled);
  EXPECT_FALSE(reserve());
  EXPECT_EQ(acquires_with("failed"), "1");
  EXPECT_TRUE(log_.names.empty());
}

}  // namespace
}  // namespace kbase::tests
