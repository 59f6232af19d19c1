// SPDX-License-Identifier: Apache-2.0
// Attacks that stop or hang an unmodified Pistache 0.0.5 server do not harm kbase. They do harm plain_pistache, which
// proves that the tests are effective.
#include "tests/edge/program/attacks.hpp"
#include "tests/edge/edge_fixture.hpp"

namespace kbase::tests {
namespace {

class Attacks : public testing::TestWithParam<Attack> {};

TEST_P(Attacks, DoNoHarmToKbase) {
  TargetServer target = TargetServer::kbase();
  EXPECT_EQ(GetParam().run(target), std::nullopt) << target.log();
}

TEST_P(Attacks, HarmPlainPistache) {
  for (int attempt = 0; attempt < 8; ++attempt) {
    TargetServer target = TargetServer::plain_pistache(GetParam().mode);
    // In TLS mode it cannot answer harm(), which does not use TLS.
    ASSERT_TRUE(GetParam().mode == "tls" || !target.harm()) << "broken before the attack";
    if (const auto harm = GetParam().run(target)) return RecordProperty("harm", *harm);
  }
  if (GetParam().by_chance) GTEST_SKIP() << "Pistache survived it 8 times: its threads did not race";
  ADD_FAILURE() << "Pistache survived it 8 times";
}

INSTANTIATE_TEST_SUITE_P(Edge, Attacks, testing::ValuesIn(attacks()), [](const auto& test) { return test.param.name; });

class ThrowingEndpoint : public EdgeServer {};

TEST_F(ThrowingEndpoint, ReturnsA500WhateverItThrows) {
  const auto number = NAMED_ALLOW_CALL(catalog, item(trompeloeil::_, "b", trompeloeil::_)).THROW(42);
  start();
  RawClient web = client();
  web.get("/item/b");
  const HttpAnswer answer = web.answer();
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.error_code(), "INTERNAL_ERROR");
  EXPECT_EQ(answer.body.find("42"), std::string::npos) << answer.body;
  web.get("/item/a");
  EXPECT_EQ(web.answer().status, 200);
}

}  // namespace
}  // namespace kbase::tests
