// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/keys_and_plans.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "adapters/memory/api_key_store.hpp"
#include "plugins/conformance/fixtures.hpp"
#include "tests/support/mocks/driven/api_key_store.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {
using trompeloeil::_;

constexpr model::Day kToday{std::chrono::days(20'500)};

/// Records the events it receives.
class CountingLog final : public ports::EventLog {
 public:
  void log(ports::LogLevel, std::string_view event, std::string_view,
           std::span<const ports::LogField> fields) override {
    events.emplace_back(event);
    for (const ports::LogField& field : fields)
      if (field.name == "requests") requests = std::get<std::uint64_t>(field.value);
  }
  std::vector<std::string> events;
  std::uint64_t requests = 0;
};

class UsageCounter : public testing::Test {
 protected:
  std::uint64_t stored(std::string_view key, model::Day day = kToday) {
    std::uint64_t requests = 0;
    ports::Call call;
    EXPECT_TRUE(succeeded(store_.usage(call, day, day, [&](const ports::KeyUsage& row) {
      if (row.id == key) requests += row.requests;
      return Visit::Continue;
    })));
    return requests;
  }

  conformance::ManualClock clock_;
  memory::MemoryApiKeyStore store_;
  CountingLog log_;
  runtime::UsageCounter usage_{store_, clock_, log_};
};

TEST_F(UsageCounter, WaitsAtMostFiveSecondsForAStore) {
  MockApiKeyStore store;
  runtime::UsageCounter usage(store, clock_, log_);
  usage.count("a", kToday);
  REQUIRE_CALL(store, add_usage(_, _))
      .WITH(_1.deadline == clock_.steady() + std::chrono::seconds(5))
      .RETURN(error_of(ErrorCode::Deadline));
  EXPECT_TRUE(failed(usage.flush(), ErrorCode::Deadline));
}

TEST_F(UsageCounter, StoresEachCountOnce) {
  for (int i = 0; i < 3; ++i) usage_.count("a", kToday);
  usage_.count("b", kToday);
  usage_.count("a", kToday + std::chrono::days(1));
  EXPECT_EQ(stored("a"), 0u);
  EXPECT_TRUE(succeeded(usage_.flush()));
  EXPECT_TRUE(succeeded(usage_.flush()));
  EXPECT_EQ(stored("a"), 3u);
  EXPECT_EQ(stored("a", kToday + std::chrono::days(1)), 1u);
  EXPECT_EQ(stored("b"), 1u);
  usage_.count("a", kToday);
  EXPECT_TRUE(succeeded(usage_.flush()));
  EXPECT_EQ(stored("a"), 4u);
}

TEST_F(UsageCounter, LosesNoCountOfManyThreads) {
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([this, thread] {
      for (int i = 0; i < 5'000; ++i) usage_.count(std::to_string((thread + i) % 7), kToday);
    });
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(succeeded(usage_.flush()));
  threads.clear();
  EXPECT_TRUE(succeeded(usage_.flush()));
  std::uint64_t all = 0;
  for (int key = 0; key < 7; ++key) all += stored(std::to_string(key));
  EXPECT_EQ(all, 20'000u);
}

TEST_F(UsageCounter, KeepsCountsThatTheStoreRejectsAndLogsItOnce) {
  MockApiKeyStore store;
  runtime::UsageCounter usage(store, clock_, log_);
  usage.count("a", kToday);
  {
    ALLOW_CALL(store, add_usage(_, _)).RETURN(error_of(ErrorCode::Unavailable));
    EXPECT_TRUE(failed(usage.flush(), ErrorCode::Unavailable));
    usage.count("a", kToday);
    EXPECT_TRUE(failed(usage.flush(), ErrorCode::Unavailable));
  }
  EXPECT_EQ(log_.events, std::vector<std::string>{"keys.usage_waiting"});
  std::uint64_t stored = 0;
  REQUIRE_CALL(store, add_usage(_, _)).LR_SIDE_EFFECT(stored = _2[0].requests).RETURN(Status());
  ALLOW_CALL(store, delete_usage_before(_, _)).RETURN(Status());
  EXPECT_TRUE(succeeded(usage.flush()));
  EXPECT_EQ(stored, 2u);
  EXPECT_TRUE(succeeded(usage.flush()));
}

TEST_F(UsageCounter, LogsTheLostCountsAtTheEnd) {
  MockApiKeyStore store;
  runtime::UsageCounter usage(store, clock_, log_);
  usage.count("a", kToday);
  usage.count("a", kToday + std::chrono::days(1));
  usage.count("b", kToday);
  ALLOW_CALL(store, add_usage(_, _)).RETURN(error_of(ErrorCode::Unavailable));
  EXPECT_TRUE(failed(usage.flush(), ErrorCode::Unavailable));
  EXPECT_TRUE(failed(usage.finish(), ErrorCode::Unavailable));
  EXPECT_EQ(log_.events, (std::vector<std::string>{"keys.usage_waiting", "keys.usage_lost"}));
  EXPECT_EQ(log_.requests, 3u);
}

TEST_F(UsageCounter, LosesNothingAtTheEndIfTheStoreAnswers) {
  usage_.count("a", kToday);
  EXPECT_TRUE(succeeded(usage_.finish()));
  EXPECT_EQ(stored("a"), 1u);
  EXPECT_EQ(log_.events, std::vector<std::string>());
}

TEST_F(UsageCounter, DropsDaysOlderThanTheReport) {
  usage_.count("a", kToday - std::chrono::days(1));
  EXPECT_TRUE(succeeded(usage_.flush()));
  usage_.count("a", kToday);
  EXPECT_TRUE(succeeded(usage_.flush()));
  const model::Day later = kToday + runtime::UsageCounter::kRetention;
  usage_.count("b", later);
  EXPECT_TRUE(succeeded(usage_.flush()));
  EXPECT_EQ(stored("a", kToday - std::chrono::days(1)), 0u);
  EXPECT_EQ(stored("a", kToday), 1u);
  EXPECT_EQ(stored("b", later), 1u);
}

TEST_F(UsageCounter, DeletesOldUsageOnceADay) {
  MockApiKeyStore store;
  runtime::UsageCounter usage(store, clock_, log_);
  ALLOW_CALL(store, add_usage(_, _)).RETURN(Status());
  const auto flush_on = [&usage](model::Day day) {
    usage.count("a", day);
    EXPECT_TRUE(succeeded(usage.flush()));
  };
  {
    REQUIRE_CALL(store, delete_usage_before(_, kToday - runtime::UsageCounter::kRetention))
        .RETURN(error_of(ErrorCode::Unavailable));
    flush_on(kToday);
  }
  {
    REQUIRE_CALL(store, delete_usage_before(_, kToday - runtime::UsageCounter::kRetention)).RETURN(Status());
    for (int i = 0; i < 3; ++i) flush_on(kToday);
  }
  const model::Day next = kToday + std::chrono::days(1);
  REQUIRE_CALL(store, delete_usage_before(_, next - runtime::UsageCounter::kRetention))
      .RETURN(error_of(ErrorCode::Unsupported));
  for (int i = 0; i < 3; ++i) flush_on(next);
}

TEST_F(UsageCounter, BuffersNothingForAStoreWithoutUsage) {
  MockApiKeyStore store;
  runtime::UsageCounter usage(store, clock_, log_);
  usage.count("a", kToday);
  REQUIRE_CALL(store, add_usage(_, _)).RETURN(error_of(ErrorCode::Unsupported));
  EXPECT_TRUE(succeeded(usage.flush()));
  EXPECT_TRUE(succeeded(usage.flush()));
  EXPECT_EQ(log_.events.size(), 1u);
}

}  // namespace
}  // namespace kbase::tests
