// SPDX-License-Identifier: Apache-2.0
#include "app/composition/configured_files.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/outcome.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kbase::tests {
namespace {

class NamedFiles : public testing::Test {
 protected:
  std::string path_of(const std::string& name) { return (folder_.path() / name).string(); }
  std::string written(const std::string& name) {
    std::ofstream(path_of(name)) << "text";
    return path_of(name);
  }

  testing::AssertionResult refused_as(const std::string& key) {
    return failed(composition::check_configured_files(settings_), ErrorCode::InvalidArgument, key);
  }

  TemporaryFolder folder_;
  config::Settings settings_;
};

TEST_F(NamedFiles, AreOptional) { EXPECT_TRUE(succeeded(composition::check_configured_files(settings_))); }

TEST_F(NamedFiles, IncludePagesUnlessDisabled) {
  settings_.explorer.path = folder_.path();
  EXPECT_TRUE(refused_as("explorer.path"));
  settings_.explorer.enabled = false;
  EXPECT_TRUE(succeeded(composition::check_configured_files(settings_)));
  settings_.explorer.enabled = true;
  written("index.html");
  EXPECT_TRUE(succeeded(composition::check_configured_files(settings_)));
}

TEST_F(NamedFiles, IncludeCertificateAuthoritiesOfUnusedServices) {
  settings_.upstream.ca_file = path_of("missing.pem");
  EXPECT_TRUE(refused_as("upstream.ca_file"));
  settings_.upstream.ca_file = folder_.path();
  EXPECT_TRUE(refused_as("upstream.ca_file"));
  settings_.upstream.ca_file = written("authorities.pem");
  EXPECT_TRUE(succeeded(composition::check_configured_files(settings_)));
}

}  // namespace
}  // namespace kbase::tests
