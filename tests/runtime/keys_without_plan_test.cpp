// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/keys_and_plans.hpp"

#include <gtest/gtest.h>

#include "plugins/conformance/fixtures.hpp"
#include "tests/support/mocks/driven/api_key_store.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {

using std::chrono::seconds;
using trompeloeil::_;

TEST(KeysWithoutPlan, WaitForTheStoreForLessThanTheWatchdogTimeout) {
  MockApiKeyStore store;
  const conformance::ManualClock clock;
  seconds timeout{};
  REQUIRE_CALL(store, list(_, _))
      .LR_SIDE_EFFECT(timeout = std::chrono::duration_cast<seconds>(_1.deadline - clock.steady()))
      .RETURN(error_of(ErrorCode::Deadline));
  const auto is_gone = [](const std::string&) { return true; };
  EXPECT_TRUE(failed(runtime::list_keys_without_plan(store, is_gone, clock), ErrorCode::Deadline));
  EXPECT_EQ(timeout, seconds(5));
}

}  // namespace
}  // namespace kbase::tests
