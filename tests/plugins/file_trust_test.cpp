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

constexpr uid_t kOtherUser = 4294900001;

class FileTrust : public testing::Test {
 protected:
  FileTrust() {
    fs::create_directory(file_.parent_path());
    std::ofstream(file_) << "code";
    fs::permissions(file_, fs::perms(0644));
    fs::permissions(file_.parent_path(), fs::perms(0755));
  }

  /// Returns why the file is not trusted; empty if it is.
  std::string trust_error(TrustedOwners owners = owners_of_this_process()) const {
    const auto trusted = trusted_file(file_, owners);
    return trusted ? "" : trusted.error().message;
  }

  static bool change_owner(const fs::path& place, uid_t owner, gid_t group) {
    return ::chown(place.c_str(), owner, group) == 0;
  }

  tests::TemporaryFolder folder_;
  const fs::path file_ = fs::canonical(folder_.path()) / "plugins" / "kbase-x.so";
};

TEST_F(FileTrust, AcceptsAFileOfTheSameUser) {
  const auto trusted = trusted_file(file_, owners_of_this_process());
  ASSERT_TRUE(tests::succeeded(trusted));
  EXPECT_EQ(*trusted, file_);
}

TEST_F(FileTrust, FollowsLinksToTheFile) {
  fs::create_directory_symlink(file_.parent_path(), folder_.path() / "current");
  const auto trusted = trusted_file(folder_.path() / "current" / "kbase-x.so", owners_of_this_process());
  ASSERT_TRUE(tests::succeeded(trusted));
  EXPECT_EQ(*trusted, file_);
}

TEST_F(FileTrust, RejectsAFileOfAnotherUser) {
  if (!change_owner(file_, kOtherUser, ::getegid())) GTEST_SKIP() << "only root can change the owner of a file";
  EXPECT_EQ(
      trust_error({0, 0}),
      "is owned by user 4294900001, where only root may put code before the server; chown it, or move the plugin");
}

TEST_F(FileTrust, RejectsAFolderOfAnotherUser) {
  if (!change_owner(file_.parent_path(), kOtherUser, ::getegid()))
    GTEST_SKIP() << "only root can change the owner of a file";
  EXPECT_EQ(trust_error({0, 0}),
            "lies below " + file_.parent_path().string() +
                ", which is owned by user 4294900001, where only root may put code before the server; "
                "chown it, or move the plugin");
}

TEST_F(FileTrust, ChecksEveryFolderUpToTheRoot) {
  const fs::path above = file_.parent_path().parent_path();
  fs::permissions(above, fs::perms(0777));
  EXPECT_EQ(trust_error(), "lies below " + above.string() +
                               ", which is writable by everybody; take that away with chmod o-w " + above.string());
}

TEST_F(FileTrust, AcceptsAFileOfTheServerUserOrTheProgramOwner) {
  if (!change_owner(file_, kOtherUser, ::getegid())) GTEST_SKIP() << "only root can change the owner of a file";
  EXPECT_EQ(trust_error({kOtherUser, 0}), "");
  EXPECT_EQ(trust_error({0, kOtherUser}), "");
}

TEST_F(FileTrust, NamesEveryAcceptedOwner) {
  if (!change_owner(file_, kOtherUser, ::getegid())) GTEST_SKIP() << "only root can change the owner of a file";
  const std::string found = trust_error({kOtherUser + 1, kOtherUser + 2});
  EXPECT_NE(found.find("where only root or user 4294900002 or user 4294900003 may"), std::string::npos) << found;
}

TEST_F(FileTrust, AllowsWritingByThePrimaryGroupOfTheOwner) {
  fs::permissions(file_, fs::perms(0664));
  EXPECT_EQ(trust_error(), "");
}

TEST_F(FileTrust, RejectsFilesWritableByAnotherGroup) {
  if (!change_owner(file_, ::geteuid(), kOtherUser)) GTEST_SKIP() << "only root can change the owner of a file";
  fs::permissions(file_, fs::perms(0664));
  EXPECT_EQ(
      trust_error(),
      "is writable by a group that is not its owner's primary one; take that away with chmod g-w " + file_.string());
}

TEST_F(FileTrust, RejectsAWorldWritableFileEvenWithTheStickyBit) {
  fs::permissions(file_, fs::perms(01666));
  EXPECT_EQ(trust_error(), "is writable by everybody; take that away with chmod o-w " + file_.string());
}

}  // namespace
}  // namespace kbase::plugin_host
