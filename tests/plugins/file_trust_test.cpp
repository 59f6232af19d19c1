// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_host/file_trust.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "tests/support/outcome.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kbase::plugin_host {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kStranger = 4294900001;

class FileTrust : public testing::Test {
 protected:
  FileTrust() {
    fs::create_directory(file_.parent_path());
    std::ofstream(file_) << "code";
    fs::permissions(file_, fs::perms(0644));
    fs::permissions(file_.parent_path(), fs::perms(0755));
  }

  /// Returns why the file is not trusted; empty if it is.
  std::string words(TrustedOwners owners = owners_of_this_process()) const {
    const auto trusted = trusted_file(file_, owners);
    return trusted ? "" : trusted.error().message;
  }

  static bool give(const fs::path& place, uid_t owner, gid_t group) {
    return ::chown(place.c_str(), owner, group) == 0;
  }

  tests::TemporaryFolder folder_;
  const fs::path file_ = fs::canonical(folder_.path()) / "plugins" / "kbase-x.so";
};

TEST_F(FileTrust, TakesAFileOfOurOwn) {
  const auto trusted = trusted_file(file_, owners_of_this_process());
  ASSERT_TRUE(tests::succeeded(trusted));
  EXPECT_EQ(*trusted, file_);
}

TEST_F(FileTrust, FollowsLinksToTheFileItself) {
  fs::create_directory_symlink(file_.parent_path(), folder_.path() / "current");
  const auto trusted = trusted_file(folder_.path() / "current" / "kbase-x.so", owners_of_this_process());
  ASSERT_TRUE(tests::succeeded(trusted));
  EXPECT_EQ(*trusted, file_);
}

TEST_F(FileTrust, RefusesAStrangersFile) {
  if (!give(file_, kStranger, ::getegid())) GTEST_SKIP() << "only root gives files away";
  EXPECT_EQ(
      words({0, 0}),
      "is owned by user 4294900001, where only root may put code before the server; chown it, or move the plugin");
}

TEST_F(FileTrust, RefusesAStrangersFolder) {
  if (!give(file_.parent_path(), kStranger, ::getegid())) GTEST_SKIP() << "only root gives files away";
  EXPECT_EQ(words({0, 0}), "lies below " + file_.parent_path().string() +
                               ", which is owned by user 4294900001, where only root may put code before the server; "
                               "chown it, or move the plugin");
}

TEST_F(FileTrust, LooksAtEveryFolderUpToTheRoot) {
  const fs::path above = file_.parent_path().parent_path();
  fs::permissions(above, fs::perms(0777));
  EXPECT_EQ(words(), "lies below " + above.string() +
                         ", which is writable by everybody; take that away with chmod o-w " + above.string());
}

TEST_F(FileTrust, TakesAFileOfTheServersUserOrOfTheProgramsOwner) {
  if (!give(file_, kStranger, ::getegid())) GTEST_SKIP() << "only root gives files away";
  EXPECT_EQ(words({kStranger, 0}), "");
  EXPECT_EQ(words({0, kStranger}), "");
}

TEST_F(FileTrust, NamesEveryOwnerThatWouldDo) {
  if (!give(file_, kStranger, ::getegid())) GTEST_SKIP() << "only root gives files away";
  const std::string found = words({kStranger + 1, kStranger + 2});
  EXPECT_NE(found.find("where only root or user 4294900002 or user 4294900003 may"), std::string::npos) << found;
}

TEST_F(FileTrust, LetsTheOwnersPrimaryGroupWrite) {
  fs::permissions(file_, fs::perms(0664));
  EXPECT_EQ(words(), "");
}

TEST_F(FileTrust, RefusesWhatAnotherGroupMayWrite) {
  if (!give(file_, ::geteuid(), kStranger)) GTEST_SKIP() << "only root gives files away";
  fs::permissions(file_, fs::perms(0664));
  EXPECT_EQ(words(), "is writable by a group that is not its owner's primary one; take that away with chmod g-w " +
                         file_.string());
}

TEST_F(FileTrust, RefusesAStickyFileThatEverybodyMayWrite) {
  fs::permissions(file_, fs::perms(01666));
  EXPECT_EQ(words(), "is writable by everybody; take that away with chmod o-w " + file_.string());
}

}  // namespace
}  // namespace kbase::plugin_host
