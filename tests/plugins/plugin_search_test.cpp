// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_host/plugin.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "tests/support/outcome.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kbase::plugin_host {
namespace {

namespace fs = std::filesystem;
using Paths = std::vector<fs::path>;

TEST(PluginDirectories, AreTheConfiguredOnesThenThoseNextToTheProgram) {
  const std::vector<std::string> configured{"/srv/plugins", "/opt/plugins"};
  EXPECT_EQ(plugin_directories(configured, "/usr/bin/kbase"),
            (Paths{"/srv/plugins", "/opt/plugins", "/usr/plugins", "/usr/lib/kbase/plugins"}));
}

TEST(PluginDirectories, AreListedOnce) {
  const std::vector<std::string> configured{"/usr/lib/kbase/plugins"};
  EXPECT_EQ(plugin_directories(configured, "/usr/bin/kbase"), (Paths{"/usr/lib/kbase/plugins", "/usr/plugins"}));
}

TEST(PluginName, IsBetweenTheKbasePrefixAndTheSoSuffix) {
  EXPECT_EQ(file_name_of("jsonl_store"), "kbase-jsonl_store.so");
  EXPECT_EQ(plugin_name_of("/x/kbase-jsonl_store.so"), "jsonl_store");
  for (const char* other : {"/x/jsonl.so", "/x/kbase-.so", "/x/kbase-a.so.1", "/x/kbase-A.so", "/x/kbase.so", "/x"})
    EXPECT_EQ(plugin_name_of(other), "") << other;
}

/// Two folders of empty files, which the tests never open.
class FindPlugin : public testing::Test {
 protected:
  FindPlugin() {
    for (const fs::path& directory : directories_) fs::create_directory(directory);
    for (const fs::path& file : {directories_[0] / "kbase-b.so", directories_[1] / "kbase-a.so",
                                 directories_[1] / "kbase-b.so", directories_[1] / "README.md"})
      std::ofstream(file) << "";
  }

  tests::TemporaryFolder folder_;
  const Paths directories_{folder_.path() / "first", folder_.path() / "second"};
};

TEST_F(FindPlugin, UsesTheFirstDirectoryWithTheFile) {
  EXPECT_EQ(*find_plugin("b", directories_), directories_[0] / "kbase-b.so");
  EXPECT_EQ(*find_plugin("a", directories_), directories_[1] / "kbase-a.so");
}

TEST_F(FindPlugin, UsesAnAbsolutePathUnchanged) {
  EXPECT_EQ(*find_plugin("/nowhere/mine.so", directories_), "/nowhere/mine.so");
}

TEST_F(FindPlugin, NamesTheSearchedDirectories) {
  const auto found = find_plugin("missing", directories_);
  ASSERT_TRUE(tests::failed(found, ErrorCode::NotFound));
  EXPECT_EQ(found.error().message, "there is no kbase-missing.so in " + directories_[0].string() + ", " +
                                       directories_[1].string() +
                                       "; install the plugin, or name its folder in plugins.directories");
}

TEST_F(FindPlugin, NamesThePluginThatWasProbablyMeant) {
  std::ofstream(directories_[1] / "kbase-sqlite.so");
  const auto found = find_plugin("sqlte", directories_);
  ASSERT_TRUE(tests::failed(found, ErrorCode::NotFound));
  EXPECT_TRUE(found.error().message.ends_with("; did you mean 'sqlite'?")) << found.error().message;
}

TEST_F(FindPlugin, RejectsRelativePaths) {
  for (const char* text : {"", "A", "../b", "plugins/kbase-b.so", "b.so", "b c"}) {
    const auto found = find_plugin(text, directories_);
    ASSERT_TRUE(tests::failed(found, ErrorCode::Unsupported));
    EXPECT_EQ(found.error().message,
              "'" + std::string(text) +
                  "' names no plugin; write a name of a-z, 0-9, _ and -, or the absolute path of "
                  "a file");
  }
}

TEST_F(FindPlugin, ListsEveryFileWithAPluginName) {
  Paths searched = directories_;
  searched.push_back(folder_.path() / "missing");
  EXPECT_EQ(list_plugins(searched),
            (Paths{directories_[0] / "kbase-b.so", directories_[1] / "kbase-a.so", directories_[1] / "kbase-b.so"}));
}

}  // namespace
}  // namespace kbase::plugin_host
