// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "tests/support/child_process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kbase::tests {
namespace {

namespace fs = std::filesystem;

/// Compiler, and the language version it compiles the headers as.
struct Reader {
  std::string name;      ///< part of the test name: "GccC99"
  std::string compiler;  ///< path; ends in NOTFOUND if the machine has none
  std::string language;  ///< "c" or "c++"
  std::string standard;  ///< "c99"
};

void PrintTo(const Reader& reader, std::ostream* out) { *out << reader.compiler << " -std=" << reader.standard; }

std::vector<Reader> readers() {
  struct Compiler {
    const char* name;
    const char* c;
    const char* cpp;
  };
  std::vector<Reader> all;
  for (const Compiler& compiler : {Compiler{"Gcc", KBASE_GCC, KBASE_GXX}, {"Clang", KBASE_CLANG, KBASE_CLANGXX}}) {
    for (const std::string number : {"99", "11", "17"})
      all.push_back({compiler.name + ("C" + number), compiler.c, "c", "c" + number});
    for (const std::string number : {"11", "14", "17", "20"})
      all.push_back({compiler.name + ("Cpp" + number), compiler.cpp, "c++", "c++" + number});
  }
  return all;
}

/// Options of a strict plugin author.
constexpr std::array<const char*, 8> kStrict{"-fsyntax-only", "-pedantic-errors", "-Wall",   "-Wextra",
                                             "-Wconversion",  "-Werror",          "-Wundef", "-I" KBASE_HEADERS};

class PluginHeader : public testing::TestWithParam<Reader> {
 protected:
  void SetUp() override {
    if (GetParam().compiler.ends_with("NOTFOUND"))
      GTEST_SKIP() << "this machine has no compiler of that name; Debian's package is clang-14";
  }

  /// Compiles the files in one run of the compiler, each as its own translation unit.
  void expect_clean(const std::vector<fs::path>& files) const {
    Launch launch;
    launch.command = {GetParam().compiler, "-x", GetParam().language, "-std=" + GetParam().standard};
    launch.command.insert(launch.command.end(), kStrict.begin(), kStrict.end());
    launch.command.insert(launch.command.end(), files.begin(), files.end());
    const Outcome outcome = run_program(launch);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
  }
};

TEST_P(PluginHeader, EachAloneIsCleanAndMayBeIncludedTwice) {
  const TemporaryFolder folder;
  std::vector<fs::path> files;
  for (const auto& header : fs::directory_iterator(KBASE_HEADERS "/kbase")) {
    const std::string name = header.path().filename();
    files.push_back(folder.path() / (header.path().stem().string() + ".c"));
    std::ofstream(files.back()) << "#include <kbase/" << name << ">\n#include <kbase/" << name << ">\n"
                                << "extern int nothing_else;\n";
  }
  ASSERT_GE(files.size(), 11U) << "headers are missing in " KBASE_HEADERS;
  expect_clean(files);
}

TEST_P(PluginHeader, MakesAPlugin) { expect_clean({KBASE_HEADER_TESTS "/smallest_plugin.c"}); }

INSTANTIATE_TEST_SUITE_P(As, PluginHeader, testing::ValuesIn(readers()),
                         [](const testing::TestParamInfo<Reader>& reader) { return reader.param.name; });

}  // namespace
}  // namespace kbase::tests
