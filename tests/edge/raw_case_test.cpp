// SPDX-License-Identifier: Apache-2.0
// Runs the raw cases over TCP.
#include <set>

#include "tests/edge/edge_fixture.hpp"
#include "tests/edge/raw_cases.hpp"
#include "tests/edge/raw_exchange.hpp"

namespace kbase::tests {
namespace {

class RawBytes : public EdgeServer, public testing::WithParamInterface<RawCase> {};

TEST_P(RawBytes, AreAnsweredAsInTheTable) {
  start();
  play(GetParam(), server->port(), [this](RawClient& web) { advance_until_readable(web, std::chrono::seconds(5)); });
}

INSTANTIATE_TEST_SUITE_P(Edge, RawBytes, testing::ValuesIn(all_raw_cases()),
                         [](const auto& test) { return test.param.name; });

TEST(RawCases, AreManyWithUniqueNames) {
  const RawCases cases = all_raw_cases();
  std::set<std::string> names;
  for (const RawCase& raw : cases) EXPECT_TRUE(names.insert(raw.name).second) << raw.name;
  EXPECT_GE(cases.size(), 150U);
}

}  // namespace
}  // namespace kbase::tests
