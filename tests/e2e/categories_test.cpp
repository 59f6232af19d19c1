// SPDX-License-Identifier: Apache-2.0
// GET /categories and /category/{id}. Manual: docs/guide/categories.md.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/e2e/expectations.hpp"
#include "tests/e2e/knowledge_base.hpp"

namespace kbase::tests {
namespace {

using nlohmann::json;

/// Categories of the corpus, ordered by name.
json known_categories() {
  std::vector<json> categories = fixture_corpus().categories();
  std::sort(categories.begin(), categories.end(),
            [](const json& a, const json& b) { return a["name"].get<std::string>() < b["name"].get<std::string>(); });
  return categories;
}

class CategoriesEndpoint : public ReadingTest {};
class CategoryEndpoint : public ReadingTest {};

INSTANTIATE_TEST_SUITE_P(Storage, CategoriesEndpoint, every_storage(), name_of);
INSTANTIATE_TEST_SUITE_P(Storage, CategoryEndpoint, every_storage(), name_of);

TEST_P(CategoriesEndpoint, ListsEveryCategoryByNameWithItsCount) {
  EXPECT_EQ(expect_data(web.get("/categories")), known_categories());
}

TEST_P(CategoriesEndpoint, OmitsCountsOnRequest) {
  json wanted = known_categories();
  for (json& category : wanted) category.erase("item_count");
  for (const char* no : {"false", "False", "FALSE"})
    EXPECT_EQ(expect_data(web.get(std::string("/categories?include_counts=") + no)), wanted);
  for (const char* yes : {"true", "TRUE"})
    EXPECT_EQ(expect_data(web.get(std::string("/categories?include_counts=") + yes)), known_categories());
}

TEST_P(CategoriesEndpoint, RejectsAnInvalidBoolean) {
  for (const char* value : {"", "1", "0", "yes", "truefalse"})
    expect_bad_parameter(web.get(std::string("/categories?include_counts=") + value), "include_counts");
}

TEST_P(CategoriesEndpoint, ReturnsPagesByLimitAndOffset) {
  const json all = known_categories();
  EXPECT_EQ(expect_data(web.get("/categories?limit=2")), json::array({all[0], all[1]}));
  EXPECT_EQ(expect_data(web.get("/categories?limit=2&offset=3")), json::array({all[3], all[4]}));
  EXPECT_EQ(expect_data(web.get("/categories?limit=1&offset=5")), json::array({all[5]}));
  EXPECT_EQ(expect_data(web.get("/categories?offset=6")), json::array());
  EXPECT_EQ(expect_data(web.get("/categories?offset=9007199254740991")), json::array());
}

TEST_P(CategoriesEndpoint, CapsALargerLimitOfAnyLength) {
  for (const char* limit : {"100", "1000", "1001", "18446744073709551617", "99999999999999999999999999999999999999"})
    EXPECT_EQ(expect_data(web.get(std::string("/categories?limit=") + limit)), known_categories()) << limit;
}

TEST_P(CategoriesEndpoint, RejectsMalformedNumbers) {
  for (const char* value : {"0", "-1", "", "many", "1.5"})
    expect_bad_parameter(web.get(std::string("/categories?limit=") + value), "limit");
  for (const char* value : {"-1", "", "x", "9007199254740992"})
    expect_bad_parameter(web.get(std::string("/categories?offset=") + value), "offset");
  expect_bad_parameter(web.get("/categories?limit=1&limit=2"), "limit");
}

TEST_P(CategoryEndpoint, ReturnsTheCategoryWithItsCountAndNoItems) {
  for (const json& category : fixture_corpus().categories()) {
    const std::string path = "/category/" + encoded(category["id"].get<std::string>());
    EXPECT_EQ(expect_data(web.get(path)), category);
    EXPECT_EQ(expect_data(web.get(path + "?include_items=false")), category);
  }
}

TEST_P(CategoryEndpoint, ReturnsItemSummariesInTheOrderOfRecentOnRequest) {
  for (const json& category : fixture_corpus().categories()) {
    const std::string id = category["id"];
    const json data = expect_data(web.get("/category/" + encoded(id) + "?include_items=true"));
    ASSERT_TRUE(data.contains("items")) << data;
    EXPECT_EQ(data["item_count"], category["item_count"]);
    EXPECT_EQ(ids_of(data["items"]), fixture_corpus().ordered(id, newer)) << id;
    for (const json& summary : data["items"]) expect_summary(summary);
  }
}

TEST_P(CategoryEndpoint, ReturnsPagesOfItsItemsByLimitAndOffset) {
  const Ids all = fixture_corpus().ordered("planets", newer);
  const auto page = [&](const std::string& parameters) {
    return ids_of(expect_data(web.get("/category/planets?include_items=true" + parameters))["items"]);
  };
  EXPECT_EQ(page("&limit=3"), Ids(all.begin(), all.begin() + 3));
  EXPECT_EQ(page("&limit=3&offset=6"), Ids(all.begin() + 6, all.end()));
  EXPECT_EQ(page("&offset=8"), Ids{});
  EXPECT_EQ(page("&limit=100000000000000000000000"), all);
}

TEST_P(CategoryEndpoint, RejectsMalformedParametersEvenWithoutItems) {
  expect_bad_parameter(web.get("/category/planets?limit=0"), "limit");
  expect_bad_parameter(web.get("/category/planets?limit=x&include_items=true"), "limit");
  expect_bad_parameter(web.get("/category/planets?offset=-1"), "offset");
  expect_bad_parameter(web.get("/category/planets?include_items=maybe"), "include_items");
  expect_bad_parameter(web.get("/category/planets?include_items=true&include_items=true"), "include_items");
}

TEST_P(CategoryEndpoint, IsNotFoundUnderAnotherName) {
  for (const char* id : {"no-such", "Planets", "planets%20", "planets%2Fmars"})
    expect_error(web.get(std::string("/category/") + id), 404, "NOT_FOUND");
}

TEST_P(CategoryEndpoint, ReturnsCountsThatSumUpToTheItems) {
  std::size_t sum = 0;
  for (const json& category : expect_data(web.get("/categories"))) sum += category["item_count"].get<std::size_t>();
  EXPECT_EQ(sum, fixture_corpus().items().size());
}

}  // namespace
}  // namespace kbase::tests
