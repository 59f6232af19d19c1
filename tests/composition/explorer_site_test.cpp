// SPDX-License-Identifier: Apache-2.0
#include "app/composition/configured_files.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "tests/support/outcome.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kbase::tests {
namespace {

class ExplorerSite : public testing::Test {
 protected:
  ExplorerSite() {
    settings_.server.base_path = "/help/api";
    settings_.explorer.title = "Bolts & \"nuts\"";
    settings_.explorer.path = folder_.path();
  }

  void write(const std::string& name, std::string_view text) {
    std::filesystem::create_directories((folder_.path() / name).parent_path());
    std::ofstream(folder_.path() / name, std::ios::binary) << text;
  }

  std::map<std::string, std::string> site() {
    std::map<std::string, std::string> found;
    auto files = composition::load_own_pages(settings_);
    EXPECT_TRUE(succeeded(files));
    if (files)
      for (const http::SiteFile& file : *files) found[file.path] = file.bytes;
    return found;
  }

  TemporaryFolder folder_;
  config::Settings settings_;
};

TEST_F(ExplorerSite, ServesTheFilesOfTheFolder) {
  write("index.html", "start");
  write("main.js", "run()");
  write("views/item.js", "show()");
  write("docs/index.html", "the interface");
  EXPECT_EQ(site(), (std::map<std::string, std::string>{{"/index.html", "start"},
                                                        {"/explorer/main.js", "run()"},
                                                        {"/explorer/views/item.js", "show()"},
                                                        {"/docs/index.html", "the interface"}}));
}

TEST_F(ExplorerSite, PassesTheBasePathAndTheNameToPages) {
  write("index.html", R"(<meta name="kbase-base" content="/api/v1"><meta name="kbase-name" content="x">)");
  EXPECT_EQ(
      site().at("/index.html"),
      R"(<meta name="kbase-base" content="/help/api"><meta name="kbase-name" content="Bolts &amp; &quot;nuts&quot;">)");
}

TEST_F(ExplorerSite, RejectsAFolderWithoutAPage) {
  const auto refused = composition::load_own_pages(settings_);
  ASSERT_TRUE(failed(refused, ErrorCode::Unsupported));
  EXPECT_NE(refused.error().message.find("has no index.html"), std::string::npos) << refused.error().message;
}

}  // namespace
}  // namespace kbase::tests
