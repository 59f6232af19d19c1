// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <utility>

#include "adapters/native_index/native_search_index.hpp"
#include "plugins/conformance/fixtures.hpp"
#include "plugins/conformance/search_index_checks.hpp"
#include "tests/adapters/native_index/faulty_files.hpp"

// Verifies an index while other processes write it.
namespace kbase::tests {
namespace {

using conformance::commit;
using native_index::NativeSearchIndex;
using Build = ports::SearchIndex::Build;

/// Files of another process that calls `before_segment` before it opens the next segment.
class InterruptedFiles final : public native_index::Files {
 public:
  explicit InterruptedFiles(native_index::Files& files) : files_(files) {}

  std::function<void()> before_segment;

  Result<std::shared_ptr<const native_index::MappedFile>> map(const std::filesystem::path& path) override {
    if (before_segment && path.filename().string().starts_with("segment-")) std::exchange(before_segment, {})();
    return files_.map(path);
  }
  Result<std::unique_ptr<native_index::NewFile>> create(const std::filesystem::path& path) override {
    return files_.create(path);
  }
  std::optional<native_index::FileStamp> stamp(const std::filesystem::path& path) override {
    return files_.stamp(path);
  }
  Status rename(const std::filesystem::path& from, const std::filesystem::path& to) override {
    return files_.rename(from, to);
  }
  Status remove(const std::filesystem::path& path) override { return files_.remove(path); }
  Result<std::vector<std::string>> list(const std::filesystem::path& folder) override { return files_.list(folder); }
  Status create_folder(const std::filesystem::path& folder) override { return files_.create_folder(folder); }
  Status sync_folder(const std::filesystem::path& folder) override { return files_.sync_folder(folder); }
  Result<std::unique_ptr<native_index::FileLock>> lock(const std::filesystem::path& path) override {
    return files_.lock(path);
  }

 private:
  native_index::Files& files_;
};

class VerifyIndex : public testing::Test {
 protected:
  VerifyIndex() { EXPECT_TRUE(commit(*server_, Build::Rebuild, {{.id = "a", .content = "alpha"}})); }

  std::unique_ptr<NativeSearchIndex> open(native_index::Files& files) {
    native_index::Options options;
    options.path = "index";
    options.merges = false;
    return NativeSearchIndex::open(options, files, clock_, nullptr).value();
  }

  conformance::ManualClock clock_;
  FaultyFiles disk_;
  InterruptedFiles files_{disk_};
  std::unique_ptr<NativeSearchIndex> server_ = open(disk_);
  std::unique_ptr<NativeSearchIndex> command_ = open(files_);
  ports::Call call_;
};

TEST_F(VerifyIndex, DoesNotReportAReplacedCommitAsDamaged) {
  files_.before_segment = [&] { EXPECT_TRUE(commit(*server_, Build::Rebuild, {{.id = "b", .content = "beta"}}, 2)); };
  const auto sound = command_->verify(call_);
  EXPECT_TRUE(sound) << sound.error().detail;
  EXPECT_FALSE(files_.before_segment);
}

TEST_F(VerifyIndex, ReportsAMissingSegmentAsDamage) {
  files_.before_segment = [&] {
    const auto names = disk_.list("index").value();
    const auto segment =
        std::find_if(names.begin(), names.end(), [](auto& name) { return name.starts_with("segment-"); });
    ASSERT_NE(segment, names.end());
    EXPECT_TRUE(disk_.remove("index/" + *segment));
  };
  const auto sound = command_->verify(call_);
  ASSERT_FALSE(sound);
  EXPECT_EQ(sound.error().code, ErrorCode::Corrupt);
  EXPECT_NE(sound.error().detail.find("segment-"), std::string::npos) << sound.error().detail;
}

TEST_F(VerifyIndex, ReportsAnEmptyIndex) {
  ASSERT_TRUE(disk_.remove("index/manifest"));
  const auto sound = command_->verify(call_);
  ASSERT_FALSE(sound);
  EXPECT_EQ(sound.error().code, ErrorCode::Unavailable);
  EXPECT_EQ(sound.error().message, "The search index has not been built yet.");
}

TEST_F(VerifyIndex, StopsWhenCancelled) {
  const std::atomic<bool> cancelled = true;
  call_.cancel = &cancelled;
  const auto sound = command_->verify(call_);
  ASSERT_FALSE(sound);
  EXPECT_EQ(sound.error().code, ErrorCode::Cancelled);
}

}  // namespace
}  // namespace kbase::tests
