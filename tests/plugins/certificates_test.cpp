// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/child_process.hpp"

namespace kbase::tests {
namespace {

/// The plugins for upstream services pass the checks for third-party plugins: without settings, and with the checker
/// as the upstream service.
class Certificate : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Of, Certificate, testing::Values("anthropic", "gitea", "github", "gitlab", "ollama", "openai"),
                         [](const testing::TestParamInfo<const char*>& test) { return test.param; });

TEST_P(Certificate, IsGiven) {
  const std::string file = std::string(KBASE_PLUGINS "/kbase-") + GetParam() + ".so";
  const Outcome outcome = run_program({{KBASE_CHECKER, file}, {}, {}}, {}, std::chrono::minutes(4));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output << outcome.errors;
}

}  // namespace
}  // namespace kbase::tests
