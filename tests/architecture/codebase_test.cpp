// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/architecture/dependency_rules.hpp"

namespace kbase::tests {
namespace {

TEST(Codebase, FollowsItsRules) {
  for (const Violation& violation : violations_of(KBASE_SOURCE_DIR)) ADD_FAILURE() << violation.text();
}

}  // namespace
}  // namespace kbase::tests
