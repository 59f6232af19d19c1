// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/data_folder.hpp"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace kbase::runtime {
namespace {

class ServeLocks : public testing::Test {
 protected:
  Result<ServeLock> acquire() { return ServeLock::acquire(folder_.path(), "data_dir"); }

  tests::TemporaryFolder folder_;
};

TEST_F(ServeLocks, AreHeldByOneServerAtATime) {
  const auto first = acquire();
  ASSERT_TRUE(first);
  const auto second = acquire();
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::Conflict);
}

TEST_F(ServeLocks, AreReleasedWhenTheServerEnds) {
  { ASSERT_TRUE(acquire()); }
  EXPECT_FALSE(ServeLock::is_locked(folder_.path()));
  EXPECT_TRUE(acquire());
}

TEST_F(ServeLocks, ReportThatTheyAreHeld) {
  EXPECT_FALSE(ServeLock::is_locked(folder_.path()));
  const auto server = acquire();
  EXPECT_TRUE(ServeLock::is_locked(folder_.path()));
}

TEST_F(ServeLocks, AreNotAcquiredByACheck) {
  EXPECT_FALSE(ServeLock::is_locked(folder_.path()));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "serve.lock"))
      << "for example, a file of root that no server holds";
  EXPECT_TRUE(acquire());
}

TEST_F(ServeLocks, AreNotHeldForAMissingFolder) { EXPECT_FALSE(ServeLock::is_locked(folder_.path() / "none")); }

TEST_F(ServeLocks, NameTheFolderAndTheRemedyIfTheyCannotBeCreated) {
  const auto folder = folder_.path() / "none";
  const auto refused = ServeLock::acquire(folder, "data_dir");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "cannot open " + (folder / "serve.lock").string() +
                                         ": No such file or directory; set data_dir to another folder");
}

}  // namespace
}  // namespace kbase::runtime
