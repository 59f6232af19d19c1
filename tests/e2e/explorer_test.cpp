// SPDX-License-Identifier: Apache-2.0
// Pages for browsers, as far as they can be tested without a browser.
#include <gtest/gtest.h>

#include "tests/e2e/expectations.hpp"
#include "tests/e2e/knowledge_base.hpp"

namespace kbase::tests {
namespace {

Response page(Client& web, const std::string& path) {
  return web.send({.target = "", .fields = {}, .body = {}, .whole_target = path});
}

TEST(Explorer, IsAbsentIfDisabled) {
  const ServedBase base(BackEnds{Storage::Sqlite}, {}, Quota::Lifted, {"--set", "explorer.enabled=false"});
  Client web = base.client();
  EXPECT_EQ(page(web, "/").status, 404);
  EXPECT_EQ(page(web, "/docs").status, 404);
}

TEST(Explorer, IsNotCounted) {
  const ServedBase base(BackEnds{Storage::Sqlite}, {}, Quota::Builtin);
  Client web = base.client();
  for (int times = 0; times < 20; ++times) EXPECT_EQ(page(web, "/").status, 200);
  EXPECT_EQ(web.get("/recent").field("x-ratelimit-remaining"), "9");
}

}  // namespace
}  // namespace kbase::tests
