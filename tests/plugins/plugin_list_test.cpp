// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kbase/base.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/child_process.hpp"
#include "tests/support/temporary_folder.hpp"

/// `kbase plugin list` over a folder with the plugins of bad.
namespace kbase::tests {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const std::string kAbi = std::to_string(KB_ABI_MAJOR) + "." + std::to_string(KB_ABI_MINOR);

class PluginList : public testing::Test {
 protected:
  PluginList() { fs::permissions(folder_.path(), fs::perms(0755)); }

  fs::path add(const std::string& built, const std::string& name, const std::string& below = ".") {
    fs::create_directories(folder_.path() / below);
    const fs::path file = (folder_.path() / below / ("kbase-" + name + ".so")).lexically_normal();
    fs::copy_file(fs::path(KBASE_BAD_PLUGINS) / ("kbase-" + built + ".so"), file);
    return file;
  }

  /// Runs the command; it searches this folder first, then the subfolder `second`.
  Outcome list(std::vector<std::string> options = {}) const {
    const std::string directories = "[" + folder_.path().string() + ", " + folder_.path().string() + "/second]";
    std::vector<std::string> command{KBASE_PROGRAM, "plugin", "list", "--set", "plugins.directories=" + directories};
    command.insert(command.end(), options.begin(), options.end());
    return run_program({command, {}, {}});
  }

  /// Returns the entry of a file in an array of the JSON form; null if it is missing.
  static json entry(const json& entries, const fs::path& file) {
    for (const json& one : entries)
      if (one["file"] == file.string()) return one;
    return {};
  }

  TemporaryFolder folder_;
};

TEST_F(PluginList, ShowsTheDescriptorOfAPlugin) {
  const fs::path file = add("sound", "nothing");
  const Outcome outcome = list();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
  EXPECT_TRUE(outcome.output.starts_with("NAME")) << outcome.output;
  const std::size_t start = outcome.output.find("\nnothing ") + 1;
  ASSERT_NE(start, 0u) << outcome.output;
  std::string row = outcome.output.substr(start, outcome.output.find('\n', start) - start);
  for (std::size_t spaces; (spaces = row.find("   ")) != std::string::npos;) row.erase(spaces, 1);
  EXPECT_EQ(row, "nothing  1.2.3  Apache-2.0  " + kAbi + "  kbase.cache/1  inline calls  " + file.string());
}

TEST_F(PluginList, WritesJsonForScripts) {
  const fs::path file = add("sound", "nothing");
  const Outcome outcome = list({"--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
  const json all = json::parse(outcome.output);
  EXPECT_EQ(all["directories"][0], folder_.path().string());
  EXPECT_EQ(entry(all["plugins"], file),
            json::parse(R"({"name": "nothing", "id": "org.example.nothing", "version": "1.2.3", "vendor": "Example",
                            "license": "Apache-2.0", "abi": ")" +
                        kAbi + R"(", "hidden_by": null, "ports": [{"id": "kbase.cache/1",
                            "capabilities": [], "inline": ["calls"], "serial": false}], "file": ")" +
                        file.string() + "\"}"));
}

TEST_F(PluginList, ReportsWhyAFileIsRejectedAndContinues) {
  add("sound", "nothing");
  const fs::path file = add("no_vendor", "anonymous");
  const std::string reason = "plugin " + file.string() + " has no vendor in its descriptor; fill in kb_plugin.vendor";
  const Outcome outcome = list();
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.output.find("\nrefused: " + reason + "\n"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("\nnothing "), std::string::npos) << outcome.output;
  EXPECT_EQ(entry(json::parse(list({"--json"}).output)["refused"], file)["reason"], reason);
}

TEST_F(PluginList, ShowsWhichFileHidesAnother) {
  const fs::path first = add("sound", "nothing");
  const fs::path second = add("sound", "nothing", "second");
  const json all = json::parse(list({"--json"}).output);
  EXPECT_EQ(entry(all["plugins"], first)["hidden_by"], nullptr);
  EXPECT_EQ(entry(all["plugins"], second)["hidden_by"], first.string());
  const std::string words = second.string() + " (hidden by " + first.string() + ")\n";
  EXPECT_NE(list().output.find(words), std::string::npos);
}

TEST_F(PluginList, WorksIfTheConfiguredPluginIsMissing) {
  add("sound", "nothing");
  const Outcome outcome = list({"--set", "storage.plugin=carrier_pigeon", "--set", "storage.config.wings=2", "--set",
                                "storage.config.load=[/none]", "--set", "cache.plugin=none"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
  EXPECT_NE(outcome.output.find("\nnothing "), std::string::npos) << outcome.output;
}

TEST_F(PluginList, NamesThePluginThatEndsTheProcess) {
  const fs::path file = add("crashing", "crashing");
  const Outcome outcome = list();
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_NE(outcome.errors.find("kbase: fatal: SIGSEGV in plugin being loaded (" + file.string() + ")"),
            std::string::npos)
      << outcome.errors;
}

}  // namespace
}  // namespace kbase::tests
