// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/metered_tokens.hpp"

#include <gtest/gtest.h>

#include <string>

#include "adapters/prometheus/prometheus_metrics.hpp"
#include "tests/runtime/guarded_ledger_world.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {

using model::ErrorCode;
using ports::Take;
using ports::Taken;

class MeteredTokens : public testing::Test {
 protected:
  MeteredTokens() {
    ledger_.now = [this] { return clock_.steady(); };
  }

  model::Status reserve(Take::Mode mode = Take::Mode::ChargeExactly) {
    const Take take{{1}, 600, mode, {0, 1000}, {}};
    const Take* const takes[] = {&take};
    Taken* const taken[] = {&taken_};
    ports::Call call;
    return metered_.take(call, takes, taken);
  }
  model::Status settle() {
    ports::Call call;
    return metered_.settle(call, {{1}, 600, Take::Mode::ChargeExactly, {0, 1000}, {}}, taken_, 9);
  }

  std::string count_of(std::string_view metric, std::string_view outcome) {
    const std::string text = metrics_.expose().text;
    const std::string series = std::string(metric) + "{outcome=\"" + std::string(outcome) + "\"} ";
    const std::size_t found = text.find(series);
    if (found == std::string::npos) return "no such series";
    const std::size_t start = found + series.size();
    return text.substr(start, text.find('\n', start) - start);
  }
  std::string takes_of(std::string_view outcome) { return count_of("kbase_ledger_token_takes_total", outcome); }
  std::string settlements_of(std::string_view outcome) { return count_of("kbase_ledger_settlements_total", outcome); }

  conformance::ManualClock clock_;
  prometheus::PrometheusMetrics metrics_;
  EventNames log_;
  FarLedger ledger_;
  runtime::MeteredTokens metered_{ledger_, clock_, metrics_, log_};
  Taken taken_;
};

TEST_F(MeteredTokens, CountsTakesByTheAnswer) {
  ASSERT_TRUE(succeeded(reserve()));
  ledger_.allows = false;
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(succeeded(reserve()));
  ledger_.trouble = away();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(failed(reserve(), ErrorCode::Unavailable));
  EXPECT_EQ(takes_of("allowed"), "1");
  EXPECT_EQ(takes_of("denied"), "2");
  EXPECT_EQ(takes_of("failed"), "3");
}

TEST_F(MeteredTokens, CountsNoLooksAndNoRequests) {
  ASSERT_TRUE(succeeded(reserve(Take::Mode::Peek)));
  EXPECT_EQ(takes_of("allowed"), "0");
  ASSERT_TRUE(succeeded(reserve()));
  EXPECT_EQ(count_of("kbase_ledger_takes_total", "allowed"), "no such series") << "tokens let no request in";
}

TEST_F(MeteredTokens, CountsSettlementsAndThoseThatAreLost) {
  ASSERT_TRUE(succeeded(settle()));
  EXPECT_EQ(ledger_.last_used, 9u);
  ledger_.trouble = away();
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(failed(settle(), ErrorCode::Unavailable));
  EXPECT_EQ(ledger_.settled, 3) << "a lost one is not sent again";
  EXPECT_EQ(settlements_of("settled"), "1");
  EXPECT_EQ(settlements_of("failed"), "2");
}

TEST_F(MeteredTokens, SaysOnceAMinuteWhatFails) {
  using Names = std::vector<std::string>;
  ledger_.trouble = away();
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(reserve());
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(settle());
  EXPECT_EQ(log_.names, (Names{"ledger.failed", "ledger.unsettled"}));
  clock_.advance(60s);
  EXPECT_FALSE(settle());
  EXPECT_EQ(log_.names, (Names{"ledger.failed", "ledger.unsettled", "ledger.unsettled"}));
}

TEST_F(MeteredTokens, BlamesNoLedgerForACallerWhoLeft) {
  ledger_.trouble = error_of(ErrorCode::Cancelled);
  EXPECT_FALSE(reserve());
  EXPECT_EQ(takes_of("failed"), "1");
  EXPECT_TRUE(log_.names.empty());
}

}  // namespace
}  // namespace kbase::tests
