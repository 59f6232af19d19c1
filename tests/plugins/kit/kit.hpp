// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/child_process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kbase::tests {

namespace fs = std::filesystem;

inline constexpr std::chrono::minutes kTimeout{10};

inline constexpr const char* kNoCargo = "this machine has no cargo; Debian's package is cargo";

/// PATH with which cargo finds its compiler.
inline std::string path_with_cargo() {
  return "PATH=" + fs::path(KBASE_CARGO).parent_path().string() + ":" + std::getenv("PATH");
}

inline bool is_missing(std::string_view program) { return program.ends_with("NOTFOUND"); }

/// Plugin kit as a third party has it: installed and moved, without access to this tree except the program that
/// installs it.
class Kit : public testing::Test {
 protected:
  void SetUp() override {
    if (std::string_view(KBASE_SANITIZERS) != "")
      GTEST_SKIP() << "the library of this build needs the sanitizer runtime, which an external plugin does not have";
    if (is_missing(KBASE_PKG_CONFIG)) GTEST_SKIP() << "this machine has no pkg-config";
    const fs::path first = folder_.path() / "first";
    run({KBASE_CMAKE, "--install", KBASE_BUILD, "--component", "plugin-sdk", "--prefix", first});
    fs::rename(first, prefix());
  }

  fs::path prefix() const { return folder_.path() / "kit"; }
  fs::path work() const { return folder_.path() / "work"; }

  /// Copies an example into an empty folder, away from the other examples.
  void copy(const fs::path& source) const { fs::copy(source, work(), fs::copy_options::recursive); }

  static Outcome outcome_of(std::vector<std::string> command, std::vector<std::string> environment) {
    return run_program({std::move(command), std::move(environment), {}}, {}, kTimeout);
  }

  static void run(std::vector<std::string> command, std::vector<std::string> environment = {}) {
    std::string line;
    for (const std::string& word : command) line += word + ' ';
    const Outcome outcome = outcome_of(std::move(command), std::move(environment));
    ASSERT_EQ(outcome.exit_code, 0) << line << '\n' << outcome.output << outcome.errors;
  }

  /// Runs the commands of a CMake project's README.
  void build_and_certify_with_cmake() const {
    const std::string build = work() / "build";
    run({KBASE_CMAKE, "-S", work(), "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
         "-DCMAKE_PREFIX_PATH=" + prefix().string()});
    run({KBASE_CMAKE, "--build", build});
    run({KBASE_CTEST, "--test-dir", build, "--output-on-failure", "--no-tests=error"});
  }

  void build_with_script(std::vector<std::string> environment) const {
    run({"/bin/sh", "-c", "cd '" + work().string() + "' && ./build.sh"}, std::move(environment));
  }

  void certify(std::string_view name) const {
    run({prefix() / "bin" / "kbase-plugin-check", work() / ("kbase-" + std::string(name) + ".so")});
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace kbase::tests
