// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/metered_requests.hpp"

#include <gtest/gtest.h>

#include "adapters/memory/rate_limit_store.hpp"
#include "adapters/prometheus/prometheus_metrics.hpp"
#include "app/runtime/fallback_ledgers.hpp"
#include "plugins/conformance/manual_clock.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {

using ports::Take;

class SilentLog final : public ports::EventLog {
 public:
  void log(ports::LogLevel, std::string_view, std::string_view, std::span<const ports::LogField>) override {}
};

class MeteredRequests : public testing::Test {
 protected:
  /// Asks as often as `times` for a subject with a limit of one a minute.
  void ask(ports::RateLimitStore& ledger, int times, Take::Mode mode = Take::Mode::Charge) {
    runtime::MeteredRequests metered(ledger, clock_, metrics_, log_);
    Take take;
    take.mode = mode;
    take.limits = {1, 0};
    const Take* const takes[] = {&take};
    ports::Taken answer;
    ports::Taken* const taken[] = {&answer};
    ports::Call call;
    for (int i = 0; i < times; ++i) last_ = metered.take(call, takes, taken);
  }

  std::string takes_of(std::string_view outcome) {
    const std::string text = metrics_.expose().text;
    const std::string series = "kbase_ledger_takes_total{outcome=\"" + std::string(outcome) + "\"} ";
    const std::size_t found = text.find(series);
    if (found == std::string::npos) return "no such series";
    const std::size_t start = found + series.size();
    return text.substr(start, text.find('\n', start) - start);
  }

  conformance::ManualClock clock_;
  prometheus::PrometheusMetrics metrics_;
  SilentLog log_;
  model::Status last_;
};

TEST_F(MeteredRequests, CountsByTheAnswer) {
  memory::MemoryRateLimitStore ledger(clock_);
  ask(ledger, 3);
  EXPECT_EQ(takes_of("allowed"), "1");
  EXPECT_EQ(takes_of("denied"), "2");
  EXPECT_EQ(takes_of("failed"), "0");
}

TEST_F(MeteredRequests, CountsNoLooks) {
  memory::MemoryRateLimitStore ledger(clock_);
  ask(ledger, 3, Take::Mode::Peek);
  EXPECT_EQ(takes_of("allowed"), "0");
}

TEST_F(MeteredRequests, CountsAsAllowedWhatAFallbackLetInUncharged) {
  runtime::AllowingLedger ledger(clock_);
  ask(ledger, 3);
  EXPECT_EQ(takes_of("allowed"), "3");
}

TEST_F(MeteredRequests, CountsAsFailedWhatHadNoAnswer) {
  runtime::DenyingLedger ledger;
  ask(ledger, 2);
  EXPECT_TRUE(failed(last_, model::ErrorCode::Unavailable));
  EXPECT_EQ(takes_of("failed"), "2");
}

}  // namespace
}  // namespace kbase::tests
