// SPDX-License-Identifier: Apache-2.0
// Search features beyond the specification: tag and day filters, facets, highlights, `fields`, suggestions and
// related items. The expected results are computed from the corpus.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/e2e/expectations.hpp"
#include "tests/e2e/knowledge_base.hpp"

namespace kbase::tests {
namespace {

using nlohmann::json;

class Additions : public ReadingTest {
 protected:
  json search(const std::string& parameters) { return expect_envelope(web.get("/search?" + parameters), true); }

  json facets_of(const std::string& parameters) {
    const Response response = web.get("/search?" + parameters);
    EXPECT_EQ(response.status, 200);
    return json::parse(response.body).at("facets");
  }

  bool completes_words() const { return GetParam().search != Search::OpenSearch; }

  /// Items of the corpus that match "planet", in the order of sort=date.
  std::vector<json> planets() {
    std::vector<json> items;
    for (const std::string& id : ids_of(search("q=planet&sort=date&limit=100").at("data")))
      items.push_back(fixture_corpus().item(id));
    EXPECT_GE(items.size(), 8U);
    return items;
  }

  /// Ids of the items for which `keeps` returns true.
  static Ids kept(const std::vector<json>& items, const std::function<bool(const json&)>& keeps) {
    Ids ids;
    for (const json& item : items)
      if (keeps(item)) ids.push_back(item.at("id"));
    return ids;
  }

  static bool has_tag(const json& item, const std::string& tag) {
    const json& tags = item.at("tags");
    return std::find(tags.begin(), tags.end(), tag) != tags.end();
  }

  /// Values and counts of a facet in the response.
  static std::vector<std::pair<std::string, std::uint64_t>> counts_of(const json& values) {
    std::vector<std::pair<std::string, std::uint64_t>> all;
    for (const json& each : values) all.emplace_back(each.at("value"), each.at("count"));
    return all;
  }

  /// Sorted by count, largest first; equal counts by the bytes of the value.
  static std::vector<std::pair<std::string, std::uint64_t>> most_first(
      const std::map<std::string, std::uint64_t>& counts) {
    std::vector<std::pair<std::string, std::uint64_t>> all(counts.begin(), counts.end());
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    return all;
  }

  static std::string joined(const json& parts) {
    std::string text;
    for (const json& part : parts) text += part.at("text").get<std::string>();
    return text;
  }
};

INSTANTIATE_TEST_SUITE_P(Storage, Additions, every_storage(), name_of);
INSTANTIATE_TEST_SUITE_P(Search, Additions, the_other_index(), name_of);

TEST_P(Additions, FilterByAnExactTag) {
  const auto all = planets();
  const Ids expected = kept(all, [](const json& item) { return has_tag(item, "solar system"); });
  ASSERT_FALSE(expected.empty());
  const json body = search("q=planet&sort=date&limit=100&tag=solar+system");
  EXPECT_EQ(ids_of(body.at("data")), expected);
  EXPECT_EQ(body.at("pagination").at("total"), expected.size());
  EXPECT_EQ(search("q=planet&tag=solar").at("pagination").at("total"), 0);
  EXPECT_EQ(search("q=planet&tag=").at("pagination").at("total"), all.size());
}

TEST_P(Additions, FilterByDays) {
  const auto all = planets();
  const std::string day = all[all.size() / 2].at("metadata").at("updated");
  const auto updated = [](const json& item) { return item.at("metadata").at("updated").get<std::string>(); };
  EXPECT_EQ(ids_of(search("q=planet&sort=date&limit=100&updated_from=" + day).at("data")),
            kept(all, [&](const json& item) { return updated(item) >= day; }));
  EXPECT_EQ(ids_of(search("q=planet&sort=date&limit=100&updated_to=" + day).at("data")),
            kept(all, [&](const json& item) { return updated(item) <= day; }));
  EXPECT_EQ(ids_of(search("q=planet&sort=date&limit=100&updated_from=" + day + "&updated_to=" + day).at("data")),
            kept(all, [&](const json& item) { return updated(item) == day; }));
  EXPECT_EQ(search("q=planet&updated_from=9999-12-31&updated_to=0000-01-01").at("pagination").at("total"), 0);
}

TEST_P(Additions, CountFacetsOverAllMatches) {
  std::map<std::string, std::uint64_t> categories;
  std::map<std::string, std::uint64_t> tags;
  for (const json& item : planets()) {
    ++categories[item.at("category")];
    for (const json& tag : item.at("tags")) ++tags[tag];
  }
  const json facets = facets_of("q=planet&limit=1&facets=category,tag");
  EXPECT_EQ(counts_of(facets.at("category")), most_first(categories));
  EXPECT_EQ(counts_of(facets.at("tag")), most_first(tags));
  for (const auto& [category, count] : categories)
    EXPECT_EQ(search("q=planet&category=" + encoded(category)).at("pagination").at("total"), count);
  EXPECT_FALSE(facets_of("q=planet&facets=tag").contains("category"));
  EXPECT_FALSE(search("q=planet").contains("facets"));
}

TEST_P(Additions, HighlightTheWordsThatMatched) {
  const json data = search("q=PLANETS&limit=100&highlight=true").at("data");
  ASSERT_GE(data.size(), 8U);
  std::size_t marked = 0;
  for (const json& hit : data) {
    EXPECT_EQ(joined(hit.at("title_parts")), hit.at("title"));
    EXPECT_EQ(joined(hit.at("excerpt_parts")), hit.at("excerpt"));
    for (const json& part : hit.at("excerpt_parts"))
      if (part.at("match").get<bool>()) {
        const std::string text = part.at("text");
        EXPECT_TRUE(text == "planet" || text == "planets" || text == "Planets" || text == "Planet") << text;
        ++marked;
      }
  }
  EXPECT_GE(marked, 8U);
  EXPECT_FALSE(search("q=planet").at("data").at(0).contains("excerpt_parts"));
}

TEST_P(Additions, ReturnTheRequestedFields) {
  const json hit = search("q=planet&limit=1&fields=title,id").at("data").at(0);
  EXPECT_EQ(hit.size(), 2U) << hit;
  const json item = expect_data(web.get("/item/mercury?fields=metadata"));
  EXPECT_EQ(item.size(), 1U) << item;
  expect_bad_parameter(web.get("/recent?fields=nothing"), "fields");
}

TEST_P(Additions, SuggestMatchingQueriesAndTitles) {
  const json all = expect_data(web.get("/suggest?q=plan"));
  if (completes_words()) {
    ASSERT_FALSE(all.empty());
    EXPECT_EQ(all.at(0), (json{{"text", "planet"}, {"kind", "query"}}));
  }
  for (const json& each : all) {
    if (each.at("kind") == "query")
      EXPECT_GT(search("q=" + encoded(each.at("text").get<std::string>())).at("pagination").at("total"), 0) << each;
    else
      EXPECT_EQ(fixture_corpus().item(each.at("id")).at("title"), each.at("text"));
  }
  const json titles = expect_data(web.get("/suggest?q=mercu"));
  EXPECT_TRUE(std::any_of(titles.begin(), titles.end(), [](const json& each) {
    return each.value("id", "") == "mercury";
  })) << titles;
  EXPECT_EQ(expect_data(web.get("/suggest?q=p")), json::array());
  expect_bad_parameter(web.get("/suggest"), "q");
  expect_bad_parameter(web.get("/suggest?q=pl&limit=21"), "limit");
}

TEST_P(Additions, ListRelatedItems) {
  const json related = expect_data(web.get("/item/mars/related?limit=50"));
  ASSERT_GE(related.size(), 7U);
  EXPECT_EQ(related.at(0).at("id"), "jupiter") << "the item names it, and another that does not exist";
  EXPECT_TRUE(related.at(0).at("stored").get<bool>());
  for (std::size_t i = 1; i < related.size(); ++i) {
    EXPECT_FALSE(related.at(i).at("stored").get<bool>());
    EXPECT_NE(related.at(i).at("id"), "mars");
    EXPECT_NE(related.at(i).at("id"), "jupiter");
  }
  const json others = expect_data(web.get("/item/mercury/related?limit=3"));
  ASSERT_EQ(others.size(), 3U);
  EXPECT_EQ(others.at(0).at("category"), "planets") << "they share the tag";
  expect_error(web.get("/item/no-such-item/related"), 404, "NOT_FOUND");
}

}  // namespace
}  // namespace kbase::tests
