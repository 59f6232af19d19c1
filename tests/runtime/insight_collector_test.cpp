// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/insight_collector.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "adapters/memory/insight_store.hpp"
#include "adapters/system/system_crypto.hpp"
#include "plugins/conformance/fixtures.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {

/// A store that fails while `is_away`.
class FailingStore final : public ports::InsightStore {
 public:
  Status add_queries(ports::Call& call, std::span<const model::QueryCount> counts) override {
    if (is_away) return Error{ErrorCode::Unavailable, "away"};
    return store.add_queries(call, counts);
  }
  Status queries(ports::Call& call, model::Day first, model::Day last, Visitor<model::QueryCount> visitor) override {
    return store.queries(call, first, last, visitor);
  }
  Status put_feedback(ports::Call& call, const model::Feedback& feedback) override {
    return store.put_feedback(call, feedback);
  }
  Status feedback(ports::Call& call, model::Day first, model::Day last, Visitor<model::Feedback> visitor) override {
    return store.feedback(call, first, last, visitor);
  }
  Status forget(ports::Call& call, model::Day first, model::Day today) override {
    return store.forget(call, first, today);
  }

  memory::MemoryInsightStore store;
  bool is_away = false;
};

class AnInsightCollector : public testing::Test {
 protected:
  runtime::InsightCollector make(std::uint32_t min_clients = 1) {
    return {{store, digest, signatures, clock, [](std::string_view text) { return "folded " + std::string(text); }},
            {min_clients, std::size_t{1} << 20},
            7,
            {}};
  }

  std::string stored() {
    std::string all;
    const Status visited = store.queries(call, model::Day(), model::day_of(clock.now()), [&](const auto& count) {
      all += (all.empty() ? "" : "|") + std::string(count.query) + ':' + std::to_string(count.searches);
      return Visit::Continue;
    });
    EXPECT_TRUE(succeeded(visited));
    return all;
  }

  std::set<model::ClientId> readers() {
    std::set<model::ClientId> all;
    EXPECT_TRUE(succeeded(store.feedback(call, model::Day(), model::day_of(clock.now()), [&](const auto& each) {
      all.insert(each.reader);
      return Visit::Continue;
    })));
    return all;
  }

  ports::Call call;
  FailingStore store;
  system::OpensslDigest digest;
  system::HmacSignatures signatures{"the first secret"};
  conformance::ManualClock clock;
  const model::ClientId ada{1}, bob{2};
};

TEST_F(AnInsightCollector, CountsAQueryInOneForm) {
  auto insights = make();
  insights.record_search(ada, insights.normalize("  Rate \t LIMIT\n"), true);
  insights.record_search(bob, insights.normalize("rate limit"), true);
  EXPECT_TRUE(succeeded(insights.store(call, true)));
  EXPECT_EQ(stored(), "rate limit:2");
}

TEST_F(AnInsightCollector, FoldsTextThatIsNotAscii) {
  auto insights = make();
  insights.record_search(ada, insights.normalize("Größe"), true);
  EXPECT_TRUE(succeeded(insights.store(call, true)));
  EXPECT_EQ(stored(), "folded größe:1");
}

TEST_F(AnInsightCollector, LeavesOutEmptyAndLongQueries) {
  const auto insights = make();
  for (const std::string& query : {std::string(), std::string(" \t"), std::string(201, 'x')})
    EXPECT_EQ(insights.normalize(query), "");
}

TEST_F(AnInsightCollector, KeepsCountsWhileTheStoreIsAway) {
  auto insights = make();
  insights.record_search(ada, insights.normalize("tea"), true);
  store.is_away = true;
  EXPECT_TRUE(failed(insights.store(call, true), ErrorCode::Unavailable));
  store.is_away = false;
  EXPECT_TRUE(succeeded(insights.store(call, true)));
  EXPECT_TRUE(succeeded(insights.store(call, true)));
  EXPECT_EQ(stored(), "tea:1");
}

TEST_F(AnInsightCollector, KnowsAfterARestartWhatEnoughClientsAsked) {
  {
    auto insights = make(2);
    insights.record_search(ada, insights.normalize("tea"), true);
    insights.record_search(bob, insights.normalize("tea"), true);
    EXPECT_TRUE(succeeded(insights.store(call, true)));
  }
  auto insights = make(2);
  EXPECT_TRUE(succeeded(insights.load(call, std::chrono::days(90))));
  insights.record_search(ada, insights.normalize("tea"), true);
  insights.record_search(ada, insights.normalize("coffee"), true);
  EXPECT_TRUE(succeeded(insights.store(call, true)));
  EXPECT_EQ(stored(), "tea:3");
}

TEST_F(AnInsightCollector, IgnoresIdsThatAreNone) {
  auto insights = make();
  insights.record_search(ada, insights.normalize("tea"), true);
  for (const char* id : {"", "x", "0123456789abcdeg", "0123456789abcdef0", "-123456789abcdef"})
    insights.record_click(ada, id);
  insights.record_click(ada, insights.search_id("tea"));
  EXPECT_TRUE(succeeded(insights.store(call, true)));
  EXPECT_EQ(stored(), "tea:1");
}

TEST_F(AnInsightCollector, RefusesALongComment) {
  auto insights = make();
  EXPECT_TRUE(failed(insights.give_feedback(call, ada, "a", true, std::string(2001, 'x')), ErrorCode::InvalidArgument,
                     "comment"));
  EXPECT_TRUE(succeeded(insights.give_feedback(call, ada, "a", true, std::string(2000, 'x'))));
}

TEST_F(AnInsightCollector, KeepsTheLastAnswerOfAReaderToAnItemOnADay) {
  auto insights = make();
  EXPECT_TRUE(succeeded(insights.give_feedback(call, ada, "a", true, "")));
  EXPECT_TRUE(succeeded(insights.give_feedback(call, ada, "a", false, "old")));
  EXPECT_TRUE(succeeded(insights.give_feedback(call, bob, "a", true, "")));
  EXPECT_TRUE(succeeded(insights.give_feedback(call, ada, "b", true, "")));
  EXPECT_EQ(readers().size(), 3u);
}

TEST_F(AnInsightCollector, HidesTheReaderByItsSecret) {
  auto insights = make();
  EXPECT_TRUE(succeeded(insights.give_feedback(call, ada, "a", true, "")));
  signatures = system::HmacSignatures("another secret");
  EXPECT_TRUE(succeeded(insights.give_feedback(call, ada, "a", true, "")));
  EXPECT_EQ(readers().size(), 2u) << "the same client has another hash";
}

}  // namespace
}  // namespace kbase::tests
