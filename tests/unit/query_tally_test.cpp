// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/query_tally.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace kbase::tests {
namespace {

using std::chrono::seconds;
using usecases::QueryTally;
using usecases::TalliedQuery;

constexpr model::Instant kNoon =
    std::chrono::sys_days(std::chrono::year(2026) / 3 / 14) + std::chrono::milliseconds(std::chrono::hours(12));

model::ClientId client(unsigned number) {
  model::ClientId id{};
  id[0] = static_cast<std::uint8_t>(number);
  id[1] = static_cast<std::uint8_t>(number >> 8U);
  id[2] = static_cast<std::uint8_t>(number >> 16U);
  return id;
}

/// "query:searches,without result,with click" of all days, sorted.
std::string text_of(std::vector<TalliedQuery> counts) {
  std::sort(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.query < b.query; });
  std::string text;
  for (const TalliedQuery& each : counts)
    text += (text.empty() ? "" : "|") + each.query + ':' + std::to_string(each.counts.searches) + ',' +
            std::to_string(each.counts.without_result) + ',' + std::to_string(each.counts.with_click);
  return text;
}

class AQueryTally : public testing::Test {
 protected:
  void search(unsigned who, const std::string& query, bool has_result = true) {
    tally.record_search(client(who), query, has_result, now);
  }
  void click(unsigned who, const std::string& query) { tally.record_click(client(who), QueryTally::id_of(query)); }
  std::string take() {
    tally.end_searches(now, /*all=*/true);
    return text_of(tally.take());
  }

  /// "day:searches" of all new counts, sorted.
  std::string take_days() {
    tally.end_searches(now, /*all=*/true);
    std::set<std::string> days;
    for (const TalliedQuery& each : tally.take())
      days.insert(model::format_day(each.counts.day) + ':' + std::to_string(each.counts.searches));
    std::string text;
    for (const std::string& day : days) text += (text.empty() ? "" : "|") + day;
    return text;
  }

  QueryTally tally{{3, std::size_t{1} << 20}, 42};
  model::Instant now = kNoon;
};

TEST_F(AQueryTally, GivesOutAQueryOnceEnoughClientsAskedIt) {
  search(1, "tea");
  search(2, "tea");
  EXPECT_EQ(take(), "");
  search(3, "tea", false);
  EXPECT_EQ(take(), "tea:3,1,0");
  EXPECT_EQ(take(), "") << "counts are given out once";
  search(1, "tea");
  EXPECT_EQ(take(), "tea:1,0,0") << "enough clients asked it before";
}

TEST_F(AQueryTally, OneClientIsNotSeveral) {
  for (int i = 0; i < 10; ++i) {
    search(1, "tea");
    search(1, "coffee");
  }
  EXPECT_EQ(take(), "");
}

TEST_F(AQueryTally, KnowsQueriesThatWereStoredBefore) {
  tally.release("tea");
  search(1, "tea");
  EXPECT_EQ(take(), "tea:1,0,0");
}

TEST_F(AQueryTally, CountsWhatIsTypedLetterByLetterOnce) {
  for (const char* query : {"tea", "teapot"}) tally.release(query);
  for (const char* typed : {"t", "te", "tea", "teap", "teapo", "teapot"}) search(1, typed);
  EXPECT_EQ(take(), "teapot:1,0,0");
  for (const char* typed : {"teapot", "teapo", "tea"}) search(1, typed);
  EXPECT_EQ(take(), "tea:1,0,0");
}

TEST_F(AQueryTally, ALongPauseEndsASearch) {
  for (const char* query : {"tea", "teapot"}) tally.release(query);
  search(1, "tea");
  now += QueryTally::kSearchEnd;
  search(1, "teapot");
  EXPECT_EQ(take(), "tea:1,0,0|teapot:1,0,0");
}

TEST_F(AQueryTally, ASearchEndsByItself) {
  tally.release("tea");
  search(1, "tea");
  now += QueryTally::kSearchEnd - seconds(1);
  tally.end_searches(now);
  EXPECT_EQ(text_of(tally.take()), "");
  now += seconds(1);
  tally.end_searches(now);
  EXPECT_EQ(text_of(tally.take()), "tea:1,0,0");
}

TEST_F(AQueryTally, CountsAClickOnceForASearch) {
  tally.release("tea");
  search(1, "tea");
  click(1, "tea");
  click(1, "tea");
  EXPECT_EQ(take(), "tea:1,0,1");
  search(2, "tea");
  EXPECT_EQ(take(), "tea:1,0,0");
  click(2, "tea");
  EXPECT_EQ(take(), "tea:0,0,1") << "a click may come after its search was counted";
}

TEST_F(AQueryTally, IgnoresClicksThatBelongToNoSearchOfTheClient) {
  tally.release("tea");
  search(1, "tea");
  click(2, "tea");
  click(1, "coffee");
  EXPECT_EQ(take(), "tea:1,0,0");
}

TEST_F(AQueryTally, ASearchAfterAClickIsAnotherOne) {
  for (const char* query : {"tea", "teapot"}) tally.release(query);
  search(1, "tea");
  click(1, "tea");
  search(1, "teapot");
  EXPECT_EQ(take(), "tea:1,0,1|teapot:1,0,0");
}

TEST_F(AQueryTally, CountsByDay) {
  tally.release("tea");
  search(1, "tea");
  now += std::chrono::hours(24);
  search(2, "tea");
  EXPECT_EQ(take_days(), "2026-03-14:1|2026-03-15:1");
}

TEST_F(AQueryTally, CountsTheDaysBeforeEnoughClientsAsked) {
  for (const unsigned who : {1U, 2U, 3U}) {
    EXPECT_EQ(take_days(), "");
    search(who, "tea");
    now += std::chrono::hours(24);
  }
  EXPECT_EQ(take_days(), "2026-03-14:1|2026-03-15:1|2026-03-16:1");
  EXPECT_EQ(take_days(), "");
}

TEST_F(AQueryTally, KeepsCountsThatCouldNotBeStored) {
  tally.release("tea");
  search(1, "tea");
  tally.end_searches(now, true);
  tally.give_back(tally.take());
  EXPECT_EQ(take(), "tea:1,0,0");
}

TEST_F(AQueryTally, ForgetsTheQueriesOfFewClientsWhenMemoryIsShort) {
  QueryTally small({3, 64 * 1024}, 42);
  const auto ask = [&](unsigned who, const std::string& query) { small.record_search(client(who), query, true, now); };
  ask(1, "rare");
  ask(2, "rare");
  for (unsigned i = 0; i < 10'000; ++i) ask(100 + i, "word " + std::to_string(i));
  ask(3, "rare");
  small.end_searches(now, true);
  EXPECT_EQ(text_of(small.take()), "");
}

TEST_F(AQueryTally, LosesNoCountOfAReleasedQueryWhenMemoryIsShort) {
  QueryTally small({1, 64 * 1024}, 42);
  for (unsigned i = 0; i < 5'000; ++i) small.record_search(client(i), "word " + std::to_string(i), true, now);
  small.end_searches(now, true);
  EXPECT_EQ(small.take().size(), 5'000u);
}

}  // namespace
}  // namespace kbase::tests
