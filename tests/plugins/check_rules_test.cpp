// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include "app/plugin_check/target.hpp"

namespace kbase::tests {
namespace {

using namespace plugin_check;

/// Returns all checks, for a plugin that offers every port.
Checks every_check() {
  const Target target{"/no/such/file", std::nullopt};
  Checks checks = plugin_checks(target);
  for (const PortAccess& port : port_accesses()) {
    for (const Check& check : table_checks(target, port)) checks.push_back(check);
    for (const Check& check : suite_checks(target, port)) checks.push_back(check);
  }
  return checks;
}

TEST(CheckRules, EachNamesADeclarationOfAHeader) {
  for (const Check& check : every_check()) {
    EXPECT_GT(line_of(check.rule).line, 0)
        << check.subject << '.' << check.name << ": no header declares " << check.rule.name;
    EXPECT_FALSE(check.rule.name.ends_with(".h")) << check.subject << '.' << check.name << " has no rule of its own";
  }
}

TEST(CheckRules, FindsEveryKindOfDeclaration) {
  for (const char* const name :
       {"KB_STOPPED", "KB_NOTE", "kb_plugin", "kb_plugin_entry", "kb_host.explain", "kb_call.deadline_ns",
        "rule 4 of the headers", "create of every table", "every table", "kb_text_sink", "kb_lease.is_held",
        "kb_take.subject", "kb_item_store_v1.get", "kb_hit.title_marks"})
    EXPECT_GT(line_of({name}).line, 1) << name;
  EXPECT_EQ(line_of({"kbase/cache.h"}).line, 1);
}

TEST(CheckRules, FindsNothingThatNoHeaderDeclares) {
  for (const char* const name : {"kb_teapot", "kb_item.teapot", "kbase/teapot.h", "rule 99 of the headers"})
    EXPECT_EQ(line_of({name}).line, 0) << name;
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
