// SPDX-License-Identifier: Apache-2.0
// GET /search. Manual: docs/guide/search.md, query-language.md, matching.md and sorting-and-paging.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/e2e/expectations.hpp"
#include "tests/e2e/knowledge_base.hpp"

namespace kbase::tests {
namespace {

using nlohmann::json;

class SearchEndpoint : public ReadingTest {
 protected:
  /// Returns the whole response to a query with additional parameters.
  json search(const std::string& q, const std::string& parameters = {}) {
    SCOPED_TRACE("q=" + q + parameters);
    return expect_envelope(web.get("/search?q=" + encoded(q) + parameters), true);
  }

  /// Returns all matching ids, in order.
  Ids ids(const std::string& q, const std::string& parameters = {}) {
    return ids_of(search(q, "&limit=100" + parameters).at("data"));
  }

  std::set<std::string> id_set(const std::string& q, const std::string& parameters = {}) {
    const Ids found = ids(q, parameters);
    return {found.begin(), found.end()};
  }

  std::string match_rule(const std::string& q, const std::string& parameters = {}) {
    return web.get("/search?q=" + encoded(q) + parameters).field("x-search-match");
  }
};

INSTANTIATE_TEST_SUITE_P(Storage, SearchEndpoint, every_storage(), name_of);
INSTANTIATE_TEST_SUITE_P(Search, SearchEndpoint, the_other_index(), name_of);

TEST_P(SearchEndpoint, ReturnsEntriesWithExactlyTheMembersOfTheSpecification) {
  const json body = search("lantern");
  ASSERT_EQ(body["data"].size(), 12U);
  for (const json& entry : body["data"]) {
    EXPECT_EQ(entry.size(), 10U) << entry;
    for (const char* name : {"id", "title", "category", "excerpt"}) EXPECT_TRUE(entry.at(name).is_string()) << entry;
    for (const char* name : {"url", "section"}) EXPECT_TRUE(entry.at(name).is_null()) << entry;
    EXPECT_EQ(entry.at("updated"), fixture_corpus().item(entry["id"])["metadata"]["updated"]) << entry;
    EXPECT_EQ(entry.at("tags"), fixture_corpus().item(entry["id"])["tags"]) << entry;
    EXPECT_TRUE(entry.at("views").is_number()) << entry;
    ASSERT_TRUE(entry.at("relevance").is_number()) << entry;
    EXPECT_GT(entry["relevance"].get<double>(), 0.0);
    EXPECT_LE(entry["relevance"].get<double>(), 1.0);
    EXPECT_EQ(entry["title"], fixture_corpus().item(entry["id"])["title"]);
    EXPECT_EQ(entry["category"], fixture_corpus().item(entry["id"])["category"]);
  }
  EXPECT_EQ(body["data"][0]["relevance"], 1.0);
  EXPECT_EQ(body["pagination"], (json{{"total", 12}, {"limit", 20}, {"offset", 0}, {"next_offset", nullptr}}));
}

TEST_P(SearchEndpoint, OrdersByRelevanceByDefault) {
  const json data = search("planet")["data"];
  ASSERT_GE(data.size(), 8U);
  EXPECT_TRUE(std::is_sorted(data.begin(), data.end(),
                             [](const json& a, const json& b) { return a["relevance"] > b["relevance"]; }));
  EXPECT_EQ(ids("planet"), ids("planet", "&sort=relevance"));
}

TEST_P(SearchEndpoint, WeighsTitleAboveTagsAboveContent) {
  EXPECT_EQ(ids("zephyr"), (Ids{"zephyr-title", "zephyr-tag", "zephyr-content"}));
}

TEST_P(SearchEndpoint, SortsByDateNewestFirstThenId) {
  const Ids found = ids("lantern", "&sort=date");
  EXPECT_EQ(found, (Ids{"lantern-12", "lantern-11", "lantern-10", "lantern-09", "lantern-08", "lantern-07",
                        "lantern-01", "lantern-02", "lantern-03", "lantern-04", "lantern-05", "lantern-06"}));
}

TEST_P(SearchEndpoint, SortsByPopularityMostViewsFirstThenId) {
  const Ids found = ids("lantern", "&sort=popularity");
  EXPECT_EQ(found, (Ids{"lantern-03", "lantern-01", "lantern-02", "lantern-05", "lantern-07", "lantern-09",
                        "lantern-11", "lantern-04", "lantern-06", "lantern-08", "lantern-10", "lantern-12"}));
}

TEST_P(SearchEndpoint, ReturnsTheSameTotalForEverySort) {
  for (const char* sort : {"relevance", "date", "popularity"})
    EXPECT_EQ(search("lantern moth", std::string("&sort=") + sort)["pagination"]["total"], 13) << sort;
}

TEST_P(SearchEndpoint, ReturnsPagesWithoutOverlapOrGap) {
  for (const std::string sort : {"relevance", "date", "popularity"}) {
    const Ids whole = ids("lantern", "&sort=" + sort);
    Ids joined;
    json next = 0;
    while (!next.is_null() && joined.size() < 100) {
      const json page = search("lantern", "&limit=5&sort=" + sort + "&offset=" + next.dump());
      EXPECT_EQ(page["pagination"]["total"], 12);
      EXPECT_EQ(page["pagination"]["limit"], 5);
      EXPECT_EQ(page["pagination"]["offset"], next);
      for (const std::string& id : ids_of(page["data"])) joined.push_back(id);
      next = page["pagination"].at("next_offset");
    }
    EXPECT_EQ(joined, whole) << sort;
  }
}

TEST_P(SearchEndpoint, NormalizesRelevanceByTheBestHitOfTheWholeResult) {
  const json whole = search("planet", "&limit=100")["data"];
  const json page = search("planet", "&limit=2&offset=3")["data"];
  ASSERT_EQ(page.size(), 2U);
  EXPECT_EQ(page[0]["relevance"], whole[3]["relevance"]);
}

TEST_P(SearchEndpoint, ReturnsAnEmptyPageAtAndPastTheTotal) {
  for (const char* offset : {"12", "13", "100001", "9007199254740991"}) {
    const json body = search("lantern", std::string("&offset=") + offset);
    EXPECT_EQ(body["data"], json::array()) << offset;
    EXPECT_EQ(body["pagination"]["total"], 12) << offset;
    EXPECT_EQ(body["pagination"]["next_offset"], nullptr) << offset;
  }
}

TEST_P(SearchEndpoint, AcceptsLimitsFromOneToAHundred) {
  EXPECT_EQ(search("lantern", "&limit=1")["data"].size(), 1U);
  EXPECT_EQ(search("lantern", "&limit=1")["pagination"]["next_offset"], 1);
  EXPECT_EQ(search("lantern", "&limit=12")["pagination"]["next_offset"], nullptr);
  EXPECT_EQ(search("lantern", "&limit=100")["data"].size(), 12U);
  EXPECT_EQ(search("lantern", "&limit=007")["pagination"]["limit"], 7);
}

TEST_P(SearchEndpoint, RejectsLimitsOutOfBounds) {
  for (const char* limit : {"0", "101", "-1", "", "ten", "1.0", "1e1", "+5", "0x10", "%205", "18446744073709551617"})
    expect_bad_parameter(web.get(std::string("/search?q=lantern&limit=") + limit), "limit");
}

TEST_P(SearchEndpoint, RejectsOffsetsOutOfBounds) {
  for (const char* offset : {"-1", "", "x", "9007199254740992", "99999999999999999999999"})
    expect_bad_parameter(web.get(std::string("/search?q=lantern&offset=") + offset), "offset");
}

TEST_P(SearchEndpoint, RejectsAnUnknownSortOrMatch) {
  for (const char* value : {"", "newest", "Date", "relevance,date"}) {
    expect_bad_parameter(web.get(std::string("/search?q=lantern&sort=") + value), "sort");
    expect_bad_parameter(web.get(std::string("/search?q=lantern&match=") + value), "match");
  }
}

TEST_P(SearchEndpoint, RequiresAQueryOfTwoTo2048Characters) {
  expect_bad_parameter(web.get("/search"), "q");
  for (const char* q : {"", "a", "+a+", "%20%20%20", "%E2%80%83x%C2%A0", "%E6%96%87"})
    expect_bad_parameter(web.get(std::string("/search?q=") + q), "q");
  search("ab");
  search("文字");
  search("🧭🧭");
  search(std::string(2048, 'x'));
  search("  " + std::string(2048, 'x') + "  ");
  std::string wide;
  for (int i = 0; i < 1024; ++i) wide += "文";  // a longer one exceeds the limit of a request line
  search(wide);
  expect_bad_parameter(web.get("/search?q=" + std::string(2049, 'x')), "q");
}

TEST_P(SearchEndpoint, RejectsAnInvalidEncodingOfTheQuery) {
  for (const char* q : {"%zz", "%f", "ab%", "%ff%fe", "%c0%af", "%ed%a0%80"})
    expect_error(web.get(std::string("/search?q=") + q), 400, "INVALID_PARAMETER");
}

TEST_P(SearchEndpoint, RejectsARepeatedParameterAndIgnoresAnUnknownOne) {
  expect_bad_parameter(web.get("/search?q=lantern&q=moth"), "q");
  expect_bad_parameter(web.get("/search?q=lantern&limit=1&limit=1"), "limit");
  EXPECT_EQ(search("lantern", "&colour=red&colour=blue")["data"].size(), 12U);
}

TEST_P(SearchEndpoint, ParsesPlusAsASpaceInTheQuery) {
  EXPECT_EQ(ids_of(expect_envelope(web.get("/search?q=lantern+copper"), true)["data"]), ids("lantern copper"));
}

TEST_P(SearchEndpoint, FiltersByCategoryWithoutSubcategories) {
  EXPECT_EQ(id_set("lantern", "&category=kitchen"),
            (std::set<std::string>{"lantern-09", "lantern-10", "lantern-11", "lantern-12"}));
  EXPECT_EQ(search("lantern", "&category=loose")["pagination"]["total"], 8);
  EXPECT_EQ(id_set("id", "&category=" + encoded("scripts & tongues")).count("ends-with/"), 1U);
  EXPECT_EQ(search("planet", "&category=astronomy&match=all")["pagination"]["total"], 0);
}

TEST_P(SearchEndpoint, TreatsAnEmptyCategoryAsNoFilterAndAnUnknownOneAsEmpty) {
  EXPECT_EQ(search("lantern", "&category=")["pagination"]["total"], 12);
  EXPECT_EQ(search("lantern", "&category=no-such")["pagination"],
            (json{{"total", 0}, {"limit", 20}, {"offset", 0}, {"next_offset", nullptr}}));
}

TEST_P(SearchEndpoint, RequiresEveryWordIfTenItemsHaveThem) {
  EXPECT_EQ(search("lantern copper")["pagination"]["total"], 11);
  EXPECT_EQ(match_rule("lantern copper"), "all");
}

TEST_P(SearchEndpoint, AcceptsAnyWordIfFewerItemsHaveAll) {
  EXPECT_EQ(search("lantern moth")["pagination"]["total"], 13);
  EXPECT_EQ(match_rule("lantern moth"), "any");
}

TEST_P(SearchEndpoint, LetsMatchOverrideTheRule) {
  EXPECT_EQ(id_set("lantern moth", "&match=all"), (std::set<std::string>{"lantern-11", "lantern-12"}));
  EXPECT_EQ(match_rule("lantern moth", "&match=all"), "all");
  EXPECT_EQ(search("lantern copper", "&match=any")["pagination"]["total"], 14);
  EXPECT_EQ(match_rule("lantern copper", "&match=any"), "any");
  EXPECT_EQ(ids("lantern moth", "&match=auto"), ids("lantern moth"));
}

TEST_P(SearchEndpoint, DecidesTheRuleBeforeTheCategoryFilter) {
  // Eleven items of the whole base contain both words, but only three of this category do.
  EXPECT_EQ(search("lantern copper", "&category=kitchen")["pagination"]["total"], 3);
  EXPECT_EQ(match_rule("lantern copper", "&category=kitchen"), "all");
  EXPECT_EQ(search("lantern moth", "&category=kitchen")["pagination"]["total"], 4);
}

TEST_P(SearchEndpoint, ReportsAllIfBothRulesMatchTheSameItems) {
  EXPECT_EQ(match_rule("zephyr"), "all");
  EXPECT_EQ(match_rule("nosuchwordanywhere"), "all");
}

TEST_P(SearchEndpoint, FindsAPhraseWithinOneField) {
  EXPECT_EQ(id_set("\"copper kettle\""), (std::set<std::string>{"copper-kettle"}));
  EXPECT_EQ(id_set("\"mortar pestle\""), std::set<std::string>{});
}

TEST_P(SearchEndpoint, OmitsExcludedWordsAndPhrases) {
  EXPECT_EQ(id_set("lantern -copper"), (std::set<std::string>{"lantern-12"}));
  EXPECT_EQ(id_set("kettle -\"copper kettle\""), (std::set<std::string>{"kettle-of-copper"}));
}

TEST_P(SearchEndpoint, MatchesNothingWithOnlyExclusionsOrWithoutAWord) {
  for (const char* q : {"-lantern", "-\"copper kettle\" -moth", "?!", "\"\"", "* *"})
    EXPECT_EQ(search(q)["pagination"]["total"], 0) << q;
}

TEST_P(SearchEndpoint, CountsWordsJoinedByOrAsOne) {
  EXPECT_EQ(id_set("zephyr OR brulee"),
            (std::set<std::string>{"zephyr-title", "zephyr-tag", "zephyr-content", "creme-brulee"}));
  EXPECT_EQ(search("lantern copper OR moth", "&match=all")["pagination"]["total"], 12);
}

TEST_P(SearchEndpoint, CompletesAPrefix) {
  EXPECT_EQ(id_set("zeph*"), (std::set<std::string>{"zephyr-title", "zephyr-tag", "zephyr-content"}));
}

TEST_P(SearchEndpoint, ParsesStrayQuotesAndOperatorsAsText) {
  for (const char* q : {"\"zephyr", "zephyr\"", "zephyr OR", "OR zephyr", "zephyr -", "zephyr *", "(zephyr",
                        "zephyr AND", "title:zephyr", "NEAR(zephyr", "zephyr^2", "{zephyr}", "'zephyr;--"})
    EXPECT_EQ(id_set(q).count("zephyr-title"), 1U) << q;
}

TEST_P(SearchEndpoint, ComparesWithoutCaseAccentsAndInflection) {
  EXPECT_EQ(id_set("CREME BRULEE", "&match=all"), (std::set<std::string>{"creme-brulee"}));
  EXPECT_EQ(id_set("crème brûlée", "&match=all"), (std::set<std::string>{"creme-brulee"}));
  EXPECT_EQ(id_set("facade"), (std::set<std::string>{"creme-brulee"}));
  EXPECT_EQ(id_set("galaxies").count("deep sky/M33 Triangulum"), 1U);
  EXPECT_EQ(id_set("collides").count("deep sky/M31 Andromeda"), 1U);
}

TEST_P(SearchEndpoint, HasNoStopWords) { EXPECT_GE(search("the")["pagination"]["total"].get<int>(), 10); }

TEST_P(SearchEndpoint, FindsChineseAndJapaneseWords) {
  EXPECT_EQ(id_set("知识").count("知识库"), 1U);
  EXPECT_EQ(id_set("检索系统").count("知识库"), 1U);
  EXPECT_EQ(id_set("検索エンジン").count("日本語/検索"), 1U);
}

TEST_P(SearchEndpoint, CutsExcerptsAroundTheMatchAtWordBorders) {
  const json data = search("needleword")["data"];
  ASSERT_EQ(data.size(), 1U);
  const std::string excerpt = data[0]["excerpt"];
  EXPECT_LE(code_points(excerpt), 240);
  EXPECT_GE(code_points(excerpt), 100);
  EXPECT_NE(excerpt.find("needleword"), std::string::npos) << excerpt;
  EXPECT_TRUE(excerpt.starts_with("…") && excerpt.ends_with("…")) << excerpt;
  const std::string inside = excerpt.substr(3, excerpt.size() - 6);
  const std::string content = fixture_corpus().item("long-essay")["content"];
  const std::size_t at = content.find(inside);
  ASSERT_NE(at, std::string::npos) << excerpt;
  EXPECT_EQ(std::isalnum(content[at - 1]) && std::isalnum(inside.front()), false) << excerpt;
}

TEST_P(SearchEndpoint, ReturnsAShortContentCompletely) {
  EXPECT_EQ(search("\"copper kettle\"")["data"][0]["excerpt"], fixture_corpus().item("copper-kettle")["content"]);
}

TEST_P(SearchEndpoint, FindsItemsWithoutContentOrTitle) {
  const json data = search("blank")["data"];
  ASSERT_EQ(data.size(), 1U);
  EXPECT_EQ(data[0]["excerpt"], "");
  EXPECT_EQ(id_set("\"empty title\"").count("untitled"), 1U);
}

}  // namespace
}  // namespace kbase::tests
