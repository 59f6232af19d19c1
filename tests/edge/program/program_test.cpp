// SPDX-License-Identifier: Apache-2.0
// Runs the raw cases against the program itself.
#include <gtest/gtest.h>

#include "tests/edge/program/target_server.hpp"
#include "tests/edge/raw_cases.hpp"
#include "tests/edge/raw_exchange.hpp"

namespace kbase::tests {
namespace {

TEST(Program, AnswersRawBytesAsInTheTable) {
  TargetServer kbase = TargetServer::kbase();
  for (const RawCase& raw : all_raw_cases()) {
    if (raw.after == After::TimePasses) continue;  // the test does not control the program's clock
    SCOPED_TRACE(testing::PrintToString(raw));
    play(raw, kbase.port());
    if (HasFailure()) break;
  }
  EXPECT_EQ(kbase.harm(), std::nullopt);
  EXPECT_EQ(kbase.stop(), 0) << kbase.log();
}

}  // namespace
}  // namespace kbase::tests
