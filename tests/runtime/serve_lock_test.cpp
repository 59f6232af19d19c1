// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/serve_lock.hpp"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace kbase::runtime {
namespace {

class ServeLocks : public testing::Test {
 protected:
  model::Result<ServeLock> take() { return ServeLock::take(folder_.path(), "data_dir"); }

  tests::TemporaryFolder folder_;
};

TEST_F(ServeLocks, AreTakenByOneServerAtATime) {
  const auto first = take();
  ASSERT_TRUE(first);
  const auto second = take();
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, model::ErrorCode::Conflict);
}

TEST_F(ServeLocks, AreFreeOnceTheServerIsGone) {
  { ASSERT_TRUE(take()); }
  EXPECT_FALSE(ServeLock::is_taken(folder_.path()));
  EXPECT_TRUE(take());
}

TEST_F(ServeLocks, TellThatTheyAreTaken) {
  EXPECT_FALSE(ServeLock::is_taken(folder_.path()));
  const auto server = take();
  EXPECT_TRUE(ServeLock::is_taken(folder_.path()));
}

TEST_F(ServeLocks, AreNotTakenByLooking) {
  EXPECT_FALSE(ServeLock::is_taken(folder_.path()));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "serve.lock")) << "of root's, perhaps, who does not serve";
  EXPECT_TRUE(take());
}

TEST_F(ServeLocks, OfNoFolderAreNotTaken) {
  EXPECT_FALSE(ServeLock::is_taken(folder_.path() / "none"));
}

TEST_F(ServeLocks, ThatCannotBeMadeNameTheFolderAndTheWayOut) {
  const auto folder = folder_.path() / "none";
  const auto refused = ServeLock::take(folder, "data_dir");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "cannot open " + (folder / "serve.lock").string() +
                                         ": No such file or directory; set data_dir to another folder");
}

}  // namespace
}  // namespace kbase::runtime
