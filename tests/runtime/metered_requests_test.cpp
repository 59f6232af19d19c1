// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/guarded_rate_limit_store.hpp"

#include <gtest/gtest.h>

#include "adapters/memory/rate_limit_store.hpp"
#include "adapters/prometheus/prometheus_metrics.hpp"
#include "plugins/conformance/fixtures.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {

using ports::AcquireRequest;

class SilentLog final : public ports::EventLog {
 public:
  void log(ports::LogLevel, std::string_view, std::string_view, std::span<const ports::LogField>) override {}
};

class MeteredRequestLimiter : public testing::Test {
 protected:
  /// Sends `times` requests of a client that is limited to one request a minute.
  void ask(ports::RateLimitStore& rate_limiter, int times, AcquireRequest::Mode mode = AcquireRequest::Mode::Charge) {
    runtime::MeteredRequestLimiter metered(rate_limiter, clock_, metrics_, log_);
    AcquireRequest request;
    request.mode = mode;
    request.limits = {1, 0};
    const AcquireRequest* const requests[] = {&request};
    ports::Decision answer;
    ports::Decision* const decisions[] = {&answer};
    ports::Call call;
    for (int i = 0; i < times; ++i) last_ = metered.acquire(call, requests, decisions);
  }

  std::string acquires_with(std::string_view outcome) {
    const std::string text = metrics_.expose().text;
    const std::string series = "kbase_rate_limit_decisions_total{outcome=\"" + std::string(outcome) + "\"} ";
    const std::size_t found = text.find(series);
    if (found == std::string::npos) return "no such series";
    const std::size_t start = found + series.size();
    return text.substr(start, text.find('\n', start) - start);
  }

  conformance::ManualClock clock_;
  prometheus::PrometheusMetrics metrics_;
  SilentLog log_;
  Status last_;
};

TEST_F(MeteredRequestLimiter, CountsByDecision) {
  memory::MemoryRateLimitStore rate_limiter(clock_);
  ask(rate_limiter, 3);
  EXPECT_EQ(acquires_with("allowed"), "1");
  EXPECT_EQ(acquires_with("denied"), "2");
  EXPECT_EQ(acquires_with("failed"), "0");
}

TEST_F(MeteredRequestLimiter, DoesNotCountPeeks) {
  memory::MemoryRateLimitStore rate_limiter(clock_);
  ask(rate_limiter, 3, AcquireRequest::Mode::Peek);
  EXPECT_EQ(acquires_with("allowed"), "0");
}

TEST_F(MeteredRequestLimiter, CountsAnUnchargedFallbackAdmissionAsAllowed) {
  runtime::AllowingRateLimitStore rate_limiter(clock_);
  ask(rate_limiter, 3);
  EXPECT_EQ(acquires_with("allowed"), "3");
}

TEST_F(MeteredRequestLimiter, CountsACallWithoutAnAnswerAsFailed) {
  runtime::DenyingRateLimitStore rate_limiter;
  ask(rate_limiter, 2);
  EXPECT_TRUE(failed(last_, ErrorCode::Unavailable));
  EXPECT_EQ(acquires_with("failed"), "2");
}

}  // namespace
}  // namespace kbase::tests
