// SPDX-License-Identifier: Apache-2.0
// Counting of views. Manual: docs/guide/view-counts.md.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>

#include "tests/e2e/expectations.hpp"
#include "tests/e2e/knowledge_base.hpp"
#include "tests/support/eventually.hpp"

namespace kbase::tests {
namespace {

using nlohmann::json;

class ViewsTest : public ChangingTest {
 protected:
  ServedBase served_{GetParam()};

  void view(const std::string& id, int times) {
    Client web = served_.client();
    for (int i = 0; i < times; ++i) expect_data(web.get("/item/" + encoded(id)));
  }

  /// Returns the entry of an item in /popular; an empty object if it is not among the first fifty.
  json popular(const std::string& id, const std::string& period = "day") {
    const json entries = expect_data(served_.client().get("/popular?limit=50&period=" + period));
    for (const json& entry : entries)
      if (entry.at("id") == id) return entry;
    return json::object();
  }

  /// Whether /popular shows `views` views of today within five seconds.
  bool comes_to(const std::string& id, int views) {
    return eventually(kWithinFiveSeconds, [&] { return popular(id).value("period_views", -1) == views; });
  }
};

INSTANTIATE_TEST_SUITE_P(Storage, ViewsTest, every_storage(), name_of);

TEST_P(ViewsTest, AppearInTheItemWithinASecond) {
  const std::uint64_t imported = fixture_corpus().item("mars")["metadata"]["views"];
  Client web = served_.client();
  std::uint64_t requests = 0;
  const auto shown = [&] {
    ++requests;
    return expect_data(web.get("/item/mars"))["metadata"]["views"].get<std::uint64_t>();
  };
  EXPECT_GE(shown(), imported);
  EXPECT_TRUE(eventually(kWithinASecond, [&] { return shown() > imported; }));
  EXPECT_LE(shown(), imported + requests);
}

TEST_P(ViewsTest, ChangeTheListsAndTheStatistics) {
  const std::string today = day_from_today(0);
  const json before = expect_data(served_.client().get("/stats"));
  view("neptune", 4);
  view("deep sky/M31 Andromeda", 2);
  ASSERT_TRUE(comes_to("neptune", 4));
  ASSERT_TRUE(comes_to("deep sky/M31 Andromeda", 2));
  for (const char* period : {"day", "week", "month"}) {
    const Ids first = ids_of(expect_data(served_.client().get(std::string("/popular?limit=2&period=") + period)));
    EXPECT_EQ(first, (Ids{"neptune", "deep sky/M31 Andromeda"})) << period;
  }
  EXPECT_EQ(popular("neptune")["metadata"]["views"], 4);
  EXPECT_TRUE(eventually(kWithinFiveSeconds, [&] {
    const json after = expect_data(served_.client().get("/stats"));
    return after["total_views"] == before["total_views"].get<int>() + 6;
  }));
  if (today != day_from_today(0)) GTEST_SKIP() << "midnight passed during the test";
  EXPECT_EQ(expect_data(served_.client().get("/stats"))["daily_activity"][today], 6);
}

TEST_P(ViewsTest, AreAddedToImportedViewsOverAllTime) {
  view("lantern-02", 1);
  ASSERT_TRUE(comes_to("lantern-02", 1));
  EXPECT_TRUE(eventually(kWithinFiveSeconds, [&] { return popular("lantern-02", "all")["period_views"] == 51; }));
  const auto found = [&] {
    return ids_of(served_.client().get("/search?q=lantern&sort=popularity&limit=3").json().at("data"));
  };
  const auto timeout = GetParam().search == Search::OpenSearch ? kWithinThirtySeconds : kWithinFiveSeconds;
  EXPECT_TRUE(eventually(timeout, [&] { return found() == Ids{"lantern-03", "lantern-02", "lantern-01"}; }));
}

TEST_P(ViewsTest, AreCountedOnlyByGet) {
  Client web = served_.client();
  const std::string etag = web.head("/item/venus").field("etag");
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(web.head("/item/venus").status, 200);
    EXPECT_EQ(web.get("/item/venus", {"If-None-Match: " + etag}).status, 304);
    EXPECT_EQ(web.get("/item/no-such").status, 404);
  }
  view("venus", 1);
  view("earth", 1);  // a later view: when it is visible, all views above are counted
  ASSERT_TRUE(comes_to("earth", 1));
  EXPECT_EQ(popular("venus")["period_views"], 1);
}

TEST_P(ViewsTest, NeverChangeAnItemsETag) {
  Client web = served_.client();
  const std::string etag = web.get("/item/mars").field("etag");
  view("mars", 3);
  ASSERT_TRUE(comes_to("mars", 4));
  EXPECT_EQ(web.get("/item/mars").field("etag"), etag);
}

TEST_P(ViewsTest, ChangeTheETagOfListsOrderedByViews) {
  Client web = served_.client();
  const std::string popular_before = web.get("/popular?period=day").field("etag");
  const std::string stats_before = web.get("/stats").field("etag");
  view("uranus", 2);
  ASSERT_TRUE(comes_to("uranus", 2));
  EXPECT_NE(web.get("/popular?period=day").field("etag"), popular_before);
  EXPECT_TRUE(eventually(kWithinFiveSeconds, [&] { return web.get("/stats").field("etag") != stats_before; }));
}

TEST_P(ViewsTest, SurviveARestart) {
  view("saturn", 3);
  served_.restart();
  EXPECT_TRUE(comes_to("saturn", 3));
  EXPECT_EQ(popular("saturn")["metadata"]["views"], 113);
}

TEST_P(ViewsTest, SurviveAKillOnDisk) {
  view("saturn", 7);
  ASSERT_TRUE(comes_to("saturn", 7));
  served_.server().send_signal(SIGKILL);
  EXPECT_EQ(served_.server().wait(std::chrono::seconds(5)), 128 + SIGKILL);
  const ServerProcess again = served_.base().serve();
  Client web(again.base_url());
  const json items = expect_data(web.get("/category/planets?include_items=true"))["items"];
  const auto saturn = std::find_if(items.begin(), items.end(), [](const json& item) { return item["id"] == "saturn"; });
  ASSERT_NE(saturn, items.end());
  EXPECT_EQ(saturn->at("metadata")["views"], 117);
}

}  // namespace
}  // namespace kbase::tests
