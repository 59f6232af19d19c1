// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/keys_and_plans.hpp"

#include <gtest/gtest.h>

#include <string>

#include "adapters/memory/api_key_store.hpp"
#include "adapters/prometheus/prometheus_metrics.hpp"
#include "plugins/conformance/fixtures.hpp"

namespace kbase::tests {
namespace {

using Mode = ports::AcquireRequest::Mode;
using Verdict = ports::Admission::Verdict;

class SilentLog final : public ports::EventLog {
 public:
  void log(ports::LogLevel, std::string_view, std::string_view, std::span<const ports::LogField>) override {}
};

/// Admits every request with the admission that a test sets.
class FixedAccess final : public ports::Access {
 public:
  ports::Admission admit(ports::Call&, const ports::Client&, Mode) override { return admission; }
  ports::Admission admission_without_charge(const ports::Client&) const override { return admission; }
  bool is_inline(std::optional<std::string_view>) const override { return true; }

  ports::Admission admission;
};

class CountedAccess : public testing::Test {
 protected:
  void admit(Verdict verdict, Mode mode = Mode::Charge) {
    inner_.admission.verdict = verdict;
    access_.admit(call_, {"192.0.2.1"}, mode);
  }

  /// Today's requests of the key "a".
  std::uint64_t usage_of_a() {
    EXPECT_TRUE(usage_.flush());
    std::uint64_t requests = 0;
    const model::Day today = model::day_of(clock_.now());
    EXPECT_TRUE(store_.usage(call_, today, today, [&](const ports::KeyUsage& row) {
      if (row.id == "a") requests += row.requests;
      return Visit::Continue;
    }));
    return requests;
  }

  bool exposes(const std::string& line) const { return metrics_.expose().text.find(line + "\n") != std::string::npos; }

  conformance::ManualClock clock_;
  SilentLog log_;
  memory::MemoryApiKeyStore store_;
  prometheus::PrometheusMetrics metrics_;
  FixedAccess inner_;
  runtime::UsageCounter usage_{store_, clock_, log_};
  runtime::CountedAccess access_{{inner_, usage_, metrics_, clock_}};
  ports::Call call_;
};

TEST_F(CountedAccess, CountsChargedRequestsByPlanAndKey) {
  inner_.admission.plan.name = "developer";
  inner_.admission.has_key = true;
  inner_.admission.key_id = "a";
  admit(Verdict::Admitted);
  admit(Verdict::Admitted);
  inner_.admission = {};
  inner_.admission.plan.name = "public";
  admit(Verdict::BadKey);
  EXPECT_TRUE(exposes(R"(kbase_quota_requests_total{plan="developer",client="key"} 2)"));
  EXPECT_TRUE(exposes(R"(kbase_quota_requests_total{plan="public",client="address"} 1)"));
  EXPECT_EQ(usage_of_a(), 2u);
}

TEST_F(CountedAccess, CountsNothingThatWasNotCharged) {
  inner_.admission.plan.name = "developer";
  inner_.admission.has_key = true;
  inner_.admission.key_id = "a";
  for (const Verdict verdict : {Verdict::Limited, Verdict::KeyUnchecked, Verdict::Unavailable}) admit(verdict);
  admit(Verdict::Admitted, Mode::Peek);
  EXPECT_EQ(metrics_.expose().text.find("kbase_quota_requests_total{"), std::string::npos);
  EXPECT_EQ(usage_of_a(), 0u);
}

TEST_F(CountedAccess, CountsADaysRequestsForThatDay) {
  inner_.admission.has_key = true;
  inner_.admission.key_id = "a";
  admit(Verdict::Admitted);
  clock_.advance(std::chrono::hours(24));
  EXPECT_EQ(usage_of_a(), 0u);
  admit(Verdict::Admitted);
  EXPECT_EQ(usage_of_a(), 1u);
}

}  // namespace
}  // namespace kbase::tests
