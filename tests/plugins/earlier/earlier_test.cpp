// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kbase/base.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "tests/support/child_process.hpp"
#include "tests/support/temporary_folder.hpp"

/// Builds plugins with the headers of other versions and checks the compatibility promise
/// (docs/plugins/compatibility.md).
namespace kbase::tests {
namespace {

namespace fs = std::filesystem;

struct Version {
  int major;
  int minor;
  std::string text() const { return std::to_string(major) + "." + std::to_string(minor); }
};

constexpr Version kServer{KB_ABI_MAJOR, KB_ABI_MINOR};

/// The rule of the compatibility page.
bool must_load(Version plugin) { return plugin.major == kServer.major && plugin.minor <= kServer.minor; }

/// Builds the plugin in `source` with only the headers in `headers`, without any other file of this tree.
fs::path build(const fs::path& headers, const fs::path& source, const fs::path& folder) {
  const fs::path plugin = folder / "kbase-forgetful.so";
  const Outcome outcome = run_program({{KBASE_CC, "-std=c99", "-I" + headers.string(), "-fPIC", "-fvisibility=hidden",
                                        "-shared", "-Wl,-z,defs", source.string(), "-o", plugin.string()},
                                       {},
                                       {}});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
  return plugin;
}

/// Returns the checker's outcome, with each run of white space in its output as one space, because it wraps long lines.
Outcome check(const fs::path& plugin) {
  Outcome outcome = run_program({{KBASE_CHECKER, plugin.string()}, {}, {}}, {}, std::chrono::minutes(2));
  outcome.output = std::regex_replace(outcome.output, std::regex("\\s+"), " ");
  return outcome;
}

/// Expects a certified plugin, or a rejection with a message that names the remedy.
void expect_promised_result(const fs::path& plugin, Version version) {
  const Outcome outcome = check(plugin);
  if (must_load(version)) {
    EXPECT_EQ(outcome.exit_code, 0) << version.text() << ": " << outcome.output << outcome.errors;
    return;
  }
  EXPECT_EQ(outcome.exit_code, 1) << outcome.errors;
  const std::string sentence =
      "was built for plugin ABI " + version.text() + ", this server speaks " + kServer.text() + "; rebuild it with ";
  EXPECT_NE(outcome.output.find(sentence), std::string::npos) << outcome.output;
}

TEST(EarlierPlugins, OfEachArchivedVersionLoadOrAreRejectedAsPromised) {
  const std::regex numbers(R"((\d+)\.(\d+))");
  std::smatch match;
  bool has_current = false;
  for (const auto& entry : fs::directory_iterator(KBASE_EARLIER)) {
    const std::string name = entry.path().filename();
    if (!std::regex_match(name, match, numbers)) continue;
    const Version version{std::stoi(match[1]), std::stoi(match[2])};
    const TemporaryFolder folder;
    expect_promised_result(build(entry.path(), entry.path() / "forgetful_cache.c", folder.path()), version);
    has_current |= name == kServer.text();
  }
  EXPECT_TRUE(has_current) << "the headers of ABI " << kServer.text()
                           << " are not archived; run tests/plugins/earlier/keep.sh";
}

/// Copies the headers of this tree under the number of another version.
fs::path copy_headers_as(Version version, const fs::path& folder) {
  fs::copy(KBASE_HEADERS "/kbase", folder / "kbase");
  std::ifstream in(KBASE_HEADERS "/kbase/base.h");
  std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto set = [&text](const char* name, int number) {
    text = std::regex_replace(text, std::regex(std::string("#define ") + name + " \\d+"),
                              std::string("#define ") + name + " " + std::to_string(number));
  };
  set("KB_ABI_MAJOR", version.major);
  set("KB_ABI_MINOR", version.minor);
  std::ofstream(folder / "kbase" / "base.h") << text;
  return folder;
}

TEST(EarlierPlugins, OfAnotherVersionAreRejected) {
  for (const Version version : {Version{kServer.major + 1, 0}, Version{kServer.major, kServer.minor + 1}}) {
    const TemporaryFolder folder;
    const fs::path plugin =
        build(copy_headers_as(version, folder.path()), KBASE_EARLIER "/forgetful_cache.c", folder.path());
    const Outcome outcome = check(plugin);
    EXPECT_EQ(outcome.exit_code, 1) << outcome.output;
    EXPECT_NE(outcome.output.find("plugin ABI " + version.text()), std::string::npos) << outcome.output;
    EXPECT_NE(outcome.output.find(", this server speaks " + kServer.text() + "; "), std::string::npos)
        << outcome.output;
  }
}

}  // namespace
}  // namespace kbase::tests
