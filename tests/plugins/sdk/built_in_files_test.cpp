// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>

#include "tests/support/child_process.hpp"

/// Checks the guarantees of kbase_add_plugin() on the plugins shipped with kbase.
namespace kbase::tests {
namespace {

class BuiltInPlugins : public testing::TestWithParam<const char*> {
 protected:
  static std::string path() {
    return (std::filesystem::path(KBASE_PLUGIN_DIR) / ("kbase-" + std::string(GetParam()) + ".so")).string();
  }

  static std::string output_of(std::vector<std::string> command) {
    command.insert(command.begin(), "/usr/bin/env");
    const Outcome outcome = run_program({command, {"LC_ALL=C"}, {}});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    return outcome.output + outcome.errors;
  }
};

TEST_P(BuiltInPlugins, ExportOnlyTheirEntryPoint) {
  std::istringstream lines(output_of({"nm", "--dynamic", "--defined-only", "--format=posix", path()}));
  std::string names;
  for (std::string line; std::getline(lines, line);) names += line.substr(0, line.find(' ')) + "\n";
  EXPECT_EQ(names, "kb_plugin_entry\n");
}

TEST_P(BuiltInPlugins, ResolveAllSymbolsInTheirOwnLibraries) {
  if (KBASE_RUNTIME_IN_PROGRAM) GTEST_SKIP() << "the sanitizers of this compiler are linked only to programs";
  const std::string missing = output_of({"ldd", "--function-relocs", path()});
  EXPECT_EQ(missing.find("undefined symbol"), std::string::npos) << missing;
  EXPECT_EQ(missing.find("not found"), std::string::npos) << missing;
}

TEST_P(BuiltInPlugins, HaveTheAbiNoteAndNoExecutableStack) {
  EXPECT_NE(output_of({"readelf", "--notes", "--wide", path()}).find(".note.kbase"), std::string::npos);
  const std::string headers = output_of({"readelf", "--program-headers", "--wide", path()});
  const std::size_t stack = headers.find("GNU_STACK");
  ASSERT_NE(stack, std::string::npos) << headers;
  const std::string line = headers.substr(stack, headers.find('\n', stack) - stack);
  EXPECT_EQ(line.find('E'), std::string::npos) << line;
}

INSTANTIATE_TEST_SUITE_P(All, BuiltInPlugins,
                         testing::Values("gitea", "github", "gitlab", "memory", "native", "opensearch", "redis",
                                         "sqlite"));

}  // namespace
}  // namespace kbase::tests
