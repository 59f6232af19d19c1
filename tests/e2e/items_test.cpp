// SPDX-License-Identifier: Apache-2.0
// GET /item/{id}. Manual: docs/guide/items.md and ids-in-paths.md.
#include <gtest/gtest.h>

#include "tests/e2e/expectations.hpp"
#include "tests/e2e/knowledge_base.hpp"

namespace kbase::tests {
namespace {

using nlohmann::json;

class ItemEndpoint : public ReadingTest {
 protected:
  json item(const std::string& id) {
    SCOPED_TRACE(id);
    return expect_data(web.get("/item/" + encoded(id)));
  }
};

INSTANTIATE_TEST_SUITE_P(Storage, ItemEndpoint, every_storage(), name_of);

TEST_P(ItemEndpoint, ReturnsEveryItemAsImported) {
  for (json expected : fixture_corpus().items()) {
    if (expected["id"] == "minimal") continue;  // the import sets its dates
    json actual = item(expected["id"]);
    actual["metadata"].erase("views");  // other tests view it too
    expected["metadata"].erase("views");
    EXPECT_EQ(actual, expected);
  }
}

TEST_P(ItemEndpoint, ReturnsEveryMemberWithItsTypeEvenIfTheSourceOmitsIt) {
  const std::string before = day_from_today(0);
  json actual = item("minimal");
  EXPECT_TRUE(actual["metadata"]["created"] == before || actual["metadata"]["created"] == day_from_today(0)) << actual;
  EXPECT_EQ(actual["metadata"]["updated"], actual["metadata"]["created"]);
  EXPECT_TRUE(actual["metadata"]["views"].is_number_unsigned());
  actual["metadata"] = {{"author", actual["metadata"]["author"]}};
  EXPECT_EQ(actual, (json{{"id", "minimal"},
                          {"title", "The least an item can be"},
                          {"category", "loose"},
                          {"content", ""},
                          {"tags", json::array()},
                          {"related", json::array()},
                          {"url", nullptr},
                          {"summary", ""},
                          {"aliases", json::array()},
                          {"language", ""},
                          {"version", ""},
                          {"format", "markdown"},
                          {"sections", json::array()},
                          {"metadata", {{"author", ""}}}}));
}

TEST_P(ItemEndpoint, AcceptsIdsPercentEncodedInAnyCaseAndPlusAsItself) {
  for (const char* path : {"/item/deep%20sky%2FM31%20Andromeda", "/item/deep%20sky%2fM31%20%41ndromeda",
                           "/item/c++%20&%20c%23%3F100%25", "/item/%E6%97%A5%E6%9C%AC%E8%AA%9E%2F%E6%A4%9C%E7%B4%A2",
                           "/item/%252F", "/item/ends-with%2F", "/item/earth/", "/item/deep%20sky/M31%20Andromeda"})
    expect_data(web.get(path));
  expect_error(web.get("/item/deep+sky%2FM31+Andromeda"), 404, "NOT_FOUND");
}

TEST_P(ItemEndpoint, IsNotFoundForAnUnknownId) {
  for (const char* path : {"/item/no-such", "/item/Earth", "/item/", "/item", "/item//", "/item/earth/extra", "/item/.",
                           "/item/..", "/item/%2e%2E"})
    expect_error(web.get(path), 404, "NOT_FOUND");
}

TEST_P(ItemEndpoint, IsNotFoundForAnInvalidId) {
  expect_error(web.get("/item/" + std::string(257, 'i')), 404, "NOT_FOUND");
  expect_error(web.get("/item/a%0Ab"), 404, "NOT_FOUND");
  expect_error(web.get("/item/a%00b"), 404, "NOT_FOUND");
}

TEST_P(ItemEndpoint, RejectsAnInvalidEncodingOfAnId) {
  for (const char* path : {"/item/%zz", "/item/%4", "/item/a%", "/item/%ff", "/item/%c3%28", "/item/%ed%a0%80"})
    expect_error(web.get(path), 400, "INVALID_PARAMETER", "id");
}

TEST_P(ItemEndpoint, IgnoresUnknownParameters) {
  EXPECT_EQ(expect_data(web.get("/item/earth?include=all&x"))["id"], "earth");
}

}  // namespace
}  // namespace kbase::tests
