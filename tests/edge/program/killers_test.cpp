// SPDX-License-Identifier: Apache-2.0
// Attacks that stop or hang an unmodified Pistache 0.0.5 server do not harm kbase. They do harm plain_pistache, which
// proves that the tests are effective.
#include "tests/edge/program/killers.hpp"
#include "tests/edge/edge_world.hpp"

namespace kbase::tests {
namespace {

class Killers : public testing::TestWithParam<Killer> {};

TEST_P(Killers, DoNoHarmToKbase) {
  Victim victim = Victim::kbase();
  EXPECT_EQ(GetParam().attack(victim), std::nullopt) << victim.log();
}

TEST_P(Killers, HarmPlainPistache) {
  for (int attempt = 0; attempt < 8; ++attempt) {
    Victim victim = Victim::plain_pistache(GetParam().mode);
    // In TLS mode it cannot answer harm(), which does not use TLS.
    ASSERT_TRUE(GetParam().mode == "tls" || !victim.harm()) << "harmed before the attack";
    if (const auto harm = GetParam().attack(victim)) return RecordProperty("harm", *harm);
  }
  if (GetParam().by_chance) GTEST_SKIP() << "Pistache withstood it 8 times: its threads did not meet";
  ADD_FAILURE() << "Pistache withstood it 8 times";
}

INSTANTIATE_TEST_SUITE_P(Edge, Killers, testing::ValuesIn(killers()), [](const auto& test) { return test.param.name; });

class ThrowingEndpoint : public EdgeServer {};

TEST_F(ThrowingEndpoint, IsA500WhateverItThrows) {
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
