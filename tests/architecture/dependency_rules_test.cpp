// SPDX-License-Identifier: Apache-2.0
#include "tests/architecture/dependency_rules.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <string_view>

#include "tests/support/temporary_folder.hpp"

namespace kbase::tests {
namespace {

/// A codebase of a few generated files.
class SyntheticCodebase {
 public:
  /// Adds a file. Source and CMake files get their licence line.
  void add(const std::string& path, std::string_view text) {
    add_bare(path, (path.ends_with("pp") ? "// " : "# ") + licence_ + std::string(text));
  }

  void add_bare(const std::string& path, std::string_view text) {
    std::filesystem::create_directories((folder_.path() / path).parent_path());
    std::ofstream(folder_.path() / path) << text;
  }

  /// Returns the violations, one per line.
  std::string verdict() const {
    std::string text;
    for (const Violation& violation : violations_of(folder_.path())) text += violation.text() + "\n";
    return text;
  }

 private:
  TemporaryFolder folder_;
  std::string licence_ = "SPDX-License-Identifier: Apache-2.0\n";
};

/// Returns the violations of one file that includes one header.
std::string verdict_on(const std::string& file, const std::string& header) {
  SyntheticCodebase codebase;
  codebase.add(file, "#include " + header + "\n");
  return codebase.verdict();
}

TEST(DependencyRules, FindNoViolationInAnEmptyCodebase) { EXPECT_EQ(SyntheticCodebase().verdict(), ""); }

TEST(DependencyRules, NameFileLineModuleAndTheAllowedDependencies) {
  EXPECT_EQ(verdict_on("ports/driven/cache.hpp", "\"ports/driving/search.hpp\""),
            "ports/driven/cache.hpp:2: module ports/driven must not include ports/driving/search.hpp "
            "(allowed: domain/model)\n");
  EXPECT_EQ(verdict_on("domain/model/item.hpp", "\"ports/driven/cache.hpp\""),
            "domain/model/item.hpp:2: module domain/model must not include ports/driven/cache.hpp "
            "(allowed: nothing but itself)\n");
}

struct Dependency {
  const char* file;
  const char* header;
};

void PrintTo(const Dependency& dependency, std::ostream* out) {
  *out << dependency.file << " -> " << dependency.header;
}

class AllowedDependency : public testing::TestWithParam<Dependency> {};
class ForbiddenDependency : public testing::TestWithParam<Dependency> {};

TEST_P(AllowedDependency, IsNoViolation) { EXPECT_EQ(verdict_on(GetParam().file, GetParam().header), ""); }

TEST_P(ForbiddenDependency, IsAViolationAtItsLine) {
  const std::string verdict = verdict_on(GetParam().file, GetParam().header);
  EXPECT_TRUE(verdict.starts_with(std::string(GetParam().file) + ":2: ")) << verdict;
  EXPECT_EQ(std::count(verdict.begin(), verdict.end(), '\n'), 1) << verdict;
}

INSTANTIATE_TEST_SUITE_P(Codebase, AllowedDependency,
                         testing::Values(Dependency{"domain/model/a.hpp", "\"domain/model/b.hpp\""},
                                         Dependency{"domain/model/a.hpp", "<atomic>"},
                                         Dependency{"ports/driving/a.hpp", "\"ports/driven/b.hpp\""},
                                         Dependency{"domain/usecases/a.cpp", "\"ports/driving/b.hpp\""},
                                         Dependency{"adapters/sqlite/a.cpp", "<sqlite3.h>"},
                                         Dependency{"adapters/sqlite/a.cpp", "<mutex>"},
                                         Dependency{"adapters/sqlite/a.cpp", "<sys/file.h>"},
                                         Dependency{"adapters/opensearch/a.cpp", "\"adapters/text/b.hpp\""},
                                         Dependency{"adapters/http/a.cpp", "\"ports/driving/b.hpp\""},
                                         Dependency{"adapters/http/a.cpp", "<pistache/http.h>"},
                                         Dependency{"plugins/conformance/a.cpp", "\"ports/driven/b.hpp\""},
                                         Dependency{"plugins/sqlite/a.cpp", "\"adapters/sqlite/b.hpp\""},
                                         Dependency{"plugins/sqlite/a.cpp", "<kbase/plugin.h>"},
                                         Dependency{"plugins/examples/x/a.cpp", "\"b.hpp\""},
                                         Dependency{"app/main.cpp", "\"adapters/http/b.hpp\""},
                                         Dependency{"app/plugin_host/a.cpp", "\"plugins/sdk/b.hpp\""},
                                         Dependency{"app/plugin_check/a.cpp", "\"plugins/conformance/b.hpp\""},
                                         Dependency{"app/main.cpp", "<CLI/CLI.hpp>"},
                                         Dependency{"app/composition/a.cpp", "\"adapters/prometheus/b.hpp\""}));

INSTANTIATE_TEST_SUITE_P(
    Codebase, ForbiddenDependency,
    testing::Values(Dependency{"domain/model/a.hpp", "\"domain/usecases/b.hpp\""},
                    Dependency{"domain/model/a.hpp", "<nlohmann/json.hpp>"},
                    Dependency{"domain/model/a.hpp", "<unistd.h>"}, Dependency{"domain/model/a.hpp", "<thread>"},
                    Dependency{"domain/usecases/a.cpp", "<mutex>"}, Dependency{"domain/usecases/a.cpp", "<fstream>"},
                    Dependency{"domain/usecases/a.cpp", "\"adapters/sqlite/b.hpp\""},
                    Dependency{"ports/driven/a.hpp", "<iostream>"},
                    Dependency{"ports/driven/a.hpp", "<condition_variable>"},
                    Dependency{"ports/driving/a.hpp", "<filesystem>"},
                    Dependency{"ports/driving/a.hpp", "\"domain/usecases/b.hpp\""},
                    Dependency{"adapters/sqlite/a.cpp", "\"adapters/memory/b.hpp\""},
                    Dependency{"adapters/sqlite/a.cpp", "\"adapters/text/b.hpp\""},
                    Dependency{"adapters/sqlite/a.cpp", "\"ports/driving/b.hpp\""},
                    Dependency{"adapters/sqlite/a.cpp", "<curl/curl.h>"},
                    Dependency{"adapters/sqlite/a.cpp", "\"app/main.hpp\""},
                    Dependency{"adapters/http/a.cpp", "\"domain/usecases/b.hpp\""},
                    Dependency{"adapters/http/a.cpp", "<sqlite3.h>"},
                    Dependency{"plugins/conformance/a.cpp", "\"domain/usecases/b.hpp\""},
                    Dependency{"plugins/conformance/a.cpp", "<gtest/gtest.h>"},
                    Dependency{"plugins/sqlite/a.cpp", "\"adapters/memory/b.hpp\""},
                    Dependency{"plugins/examples/x/a.cpp", "\"adapters/memory/b.hpp\""},
                    Dependency{"app/plugin_host/a.cpp", "\"adapters/sqlite/b.hpp\""},
                    Dependency{"app/main.cpp", "\"plugins/conformance/b.hpp\""},
                    Dependency{"app/main.cpp", "\"adapters/sqlite/b.hpp\""}, Dependency{"app/main.cpp", "\"main.hpp\""},
                    Dependency{"adapters/sqlite/a.cpp", "<adapters/memory/b.hpp>"}));

TEST(DependencyRules, CoverEveryModule) {
  EXPECT_EQ(verdict_on("adapters/carrier_pigeon/a.cpp", "<string>"),
            "adapters/carrier_pigeon/a.cpp: belongs to no module; add the module to the table of the rules\n");
}

TEST(DependencyRules, RecognizeAnIncludeWithAnySpacing) {
  SyntheticCodebase codebase;
  codebase.add("domain/model/a.hpp", "\n  #  include\t<thread>\n");
  EXPECT_TRUE(codebase.verdict().starts_with("domain/model/a.hpp:3: ")) << codebase.verdict();
}

TEST(DependencyRules, RequireTheLicenceInTheFirstLineOfSourcesAndCMakeFiles) {
  SyntheticCodebase codebase;
  codebase.add_bare("domain/model/a.hpp", "#pragma once\n");
  codebase.add_bare("tests/unit/a_test.cpp", "");
  codebase.add_bare("CMakeLists.txt", "project(kbase)\n");
  EXPECT_EQ(codebase.verdict(),
            "CMakeLists.txt:1: must begin with \"# SPDX-License-Identifier: Apache-2.0\"\n"
            "domain/model/a.hpp:1: must begin with \"// SPDX-License-Identifier: Apache-2.0\"\n"
            "tests/unit/a_test.cpp:1: must begin with \"// SPDX-License-Identifier: Apache-2.0\"\n");
}

TEST(DependencyRules, ForbidGlobInCMakeFilesButNotInTheirComments) {
  SyntheticCodebase codebase;
  codebase.add("app/CMakeLists.txt", "# no GLOB here\nfile(GLOB sources *.cpp)\n");
  codebase.add("cmake/Modules.cmake", "file( GLOB_RECURSE all *)\n");
  EXPECT_EQ(codebase.verdict(),
            "app/CMakeLists.txt:3: collects files with GLOB; list them\n"
            "cmake/Modules.cmake:2: collects files with GLOB; list them\n");
}

TEST(DependencyRules, ForbidMoreThan400LinesOnlyInProductionSources) {
  SyntheticCodebase codebase;
  codebase.add("adapters/memory/fits.cpp", std::string(399, '\n'));
  codebase.add("adapters/memory/long.cpp", std::string(400, '\n'));
  codebase.add("tests/unit/long_test.cpp", std::string(400, '\n'));
  EXPECT_EQ(codebase.verdict(), "adapters/memory/long.cpp: has 401 lines, more than 400\n");
}

TEST(DependencyRules, ForbidSleepInTests) {
  SyntheticCodebase codebase;
  codebase.add("tests/unit/a_test.cpp", std::string("std::this_thread::sleep") + "_for(1s);\nu" + "sleep" + "(5);\n");
  codebase.add("adapters/memory/a.cpp", std::string("std::this_thread::sleep") + "_for(1s);\n");
  EXPECT_EQ(codebase.verdict(),
            "tests/unit/a_test.cpp:2: sleeps; move the clock or wait for an event\n"
            "tests/unit/a_test.cpp:3: sleeps; move the clock or wait for an event\n");
}

TEST(DependencyRules, ForbidClocksInTheDomain) {
  SyntheticCodebase codebase;
  codebase.add("domain/usecases/a.cpp", "const auto now = std::chrono::system_clock::now();\n");
  EXPECT_EQ(codebase.verdict(), "domain/usecases/a.cpp:2: reads a clock; time comes through ports::Clock\n");
}

}  // namespace
}  // namespace kbase::tests
