// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/data_folder.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "tests/support/counting_random.hpp"
#include "tests/support/outcome.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kbase::tests {
namespace {

namespace fs = std::filesystem;
using runtime::load_or_create_log_secret;

class LogSecret : public testing::Test {
 protected:
  fs::path file() const { return folder_.path() / "log.secret"; }

  TemporaryFolder folder_;
  CountingRandom random_;
};

TEST_F(LogSecret, IsCreatedOnceAndDoesNotChange) {
  const auto made = load_or_create_log_secret(file(), random_);
  ASSERT_TRUE(succeeded(made));
  EXPECT_EQ(made->size(), 32u);
  const auto read = load_or_create_log_secret(file(), random_);
  ASSERT_TRUE(succeeded(read));
  EXPECT_EQ(*read, *made);
}

TEST_F(LogSecret, IsReadableOnlyByItsOwner) {
  ASSERT_TRUE(succeeded(load_or_create_log_secret(file(), random_)));
  EXPECT_EQ(fs::status(file()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(LogSecret, IsCreatedAfterAnInterruptedStart) {
  const fs::path draft = file().string() + ".part-" + std::to_string(::getpid());
  std::ofstream(draft) << "half";
  fs::permissions(draft, fs::perms::all);
  const auto made = load_or_create_log_secret(file(), random_);
  ASSERT_TRUE(succeeded(made));
  EXPECT_EQ(made->size(), 32u);
  EXPECT_EQ(fs::status(file()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_FALSE(fs::exists(draft));
}

TEST_F(LogSecret, IsNotReplacedIfIncomplete) {
  std::ofstream(file()) << "short";
  EXPECT_TRUE(failed(load_or_create_log_secret(file(), random_), ErrorCode::Corrupt));
  EXPECT_EQ(fs::file_size(file()), 5u);
}

TEST_F(LogSecret, CannotBeStoredInAMissingFolder) {
  const auto made = load_or_create_log_secret(folder_.path() / "missing" / "log.secret", random_);
  ASSERT_TRUE(failed(made, ErrorCode::Unavailable));
  EXPECT_NE(made.error().message.find("log.secret"), std::string::npos) << made.error().message;
}

}  // namespace
}  // namespace kbase::tests
