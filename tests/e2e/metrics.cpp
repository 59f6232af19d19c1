// SPDX-License-Identifier: Apache-2.0
#include "tests/e2e/metrics.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace kbase::tests {

std::string admin_url(const KnowledgeBase& base) {
  std::string url;
  std::istringstream lines(base.log());
  for (std::string line; std::getline(lines, line);) {
    const nlohmann::json event = nlohmann::json::parse(line, nullptr, false);
    if (event.is_object() && event.value("event", "") == "admin.opened") url = event.at("url");
  }
  EXPECT_NE(url, "") << base.log();
  return url;
}

double value_of(const std::string& exposition, const std::string& series) {
  const std::size_t line = exposition.find('\n' + series + ' ');
  return line == std::string::npos ? -1 : std::stod(exposition.substr(line + series.size() + 2));
}

}  // namespace kbase::tests
