// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include "app/plugin_check/target.hpp"

namespace kbase::tests {
namespace {

using namespace plugin_check;

/// Every check there is, of a plugin that offers every port.
Checks every_check() {
  const Target target{"/no/such/file", std::nullopt};
  Checks checks = plugin_checks(target);
  for (const PortAccess& port : port_accesses()) {
    for (const Check& check : table_checks(target, port)) checks.push_back(check);
    for (const Check& check : suite_checks(target, port)) checks.push_back(check);
  }
  return checks;
}

TEST(CheckRules, EachPointsToOneLineOfAHeader) {
  for (const Check& check : every_check())
    EXPECT_GT(line_of(check.rule), 0) << check.subject << '.' << check.name << ": one line of " << check.rule.header
                                      << " should have \"" << check.rule.anchor << '"';
}

TEST(CheckRules, NoneFallsBackToTheHeaderAsAWhole) {
  for (const Check& check : every_check())
    EXPECT_NE(check.rule.about, "the port") << check.subject << '.' << check.name << " has no rule of its own";
}

TEST(CheckRules, ALineIsCountedFromOne) {
  EXPECT_EQ(line_of({"kbase/cache.h", "SPDX-License-Identifier", ""}), 1);
}

TEST(CheckRules, AnAnchorThatIsNotUniqueIsNone) {
  EXPECT_EQ(line_of({"kbase/cache.h", "kb_status", ""}), 0);
  EXPECT_EQ(line_of({"kbase/cache.h", "no line has this", ""}), 0);
  EXPECT_EQ(line_of({"kbase/teapot.h", "kb_status", ""}), 0);
}

TEST(CheckRules, NamesAreUniqueWithinTheirSubject) {
  std::set<std::string> names;
  for (const Check& check : every_check()) {
    const std::string name = check.subject + '.' + check.name;
    EXPECT_TRUE(names.insert(name).second) << name;
  }
}

}  // namespace
}  // namespace kbase::tests
