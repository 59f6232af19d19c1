// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>

#include "app/plugin_check/check.hpp"
#include "app/plugin_check/port_driver.hpp"

namespace kbase::tests {
namespace {

using namespace plugin_check;

/// Returns all checks, for a plugin that offers every port.
Checks every_check() {
  const Target target{"/no/such/file", std::nullopt};
  Checks checks = file_checks(target);
  for (const PortDriver* const port : port_drivers()) {
    for (const Check& check : table_checks(target, *port)) checks.push_back(check);
    for (const Check& check : suite_checks(target, *port)) checks.push_back(check);
  }
  return checks;
}

std::string text_of_header(const std::string& name) {
  std::ifstream in(KBASE_HEADERS "/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Returns whether a header declares "kb_item", "kb_item.id", "KB_STOPPED" or "kb_cache_v1.get".
bool declares(const std::string& header, const std::string& about) {
  const std::size_t dot = about.find('.');
  const bool has_type = header.find(about.substr(0, dot)) != std::string::npos;
  if (dot == std::string::npos) return has_type;
  const std::string member = about.substr(dot + 1);
  return has_type &&
         (header.find("(*" + member + ")(") != std::string::npos ||
          header.find(" " + member + ";") != std::string::npos ||
          header.find("*" + member + ";") != std::string::npos || header.find(" " + member + "[") != std::string::npos);
}

TEST(CheckRules, EachNamesADeclarationOfItsHeader) {
  for (const Check& check : every_check()) {
    if (check.rule.about.find(' ') != std::string::npos) continue;  // a numbered rule of base.h
    EXPECT_TRUE(declares(text_of_header(check.rule.header) + text_of_header("kbase/plugin.h"), check.rule.about))
        << check.subject << '.' << check.name << ": " << check.rule.header << " does not declare " << check.rule.about;
  }
}

TEST(CheckRules, NamesAreUniqueWithinTheirSubject) {
  std::set<std::string> names;
  for (const Check& check : every_check()) {
    const std::string name = check.subject + '.' + check.name;
    EXPECT_TRUE(names.insert(name).second) << name;
  }
}

TEST(CheckRules, EveryPortHasSmokeChecks) {
  for (const PortDriver* const port : port_drivers()) EXPECT_GE(port->smoke_checks().size(), 2U) << port->id;
}

}  // namespace
}  // namespace kbase::tests
