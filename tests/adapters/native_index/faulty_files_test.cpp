// SPDX-License-Identifier: Apache-2.0
#include "tests/adapters/native_index/faulty_files.hpp"

#include <gtest/gtest.h>

#include <set>

#include "adapters/native_index/files/section_file.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {

using native_index::replace_file;

/// Returns the content of a file, or "none".
std::string read(FaultyFiles& files, const std::string& path) {
  const auto file = files.map(path);
  return file ? std::string(native_index::as_text((*file)->bytes())) : "none";
}

Status write(FaultyFiles& files, const std::string& path, std::string_view content) {
  const auto file = files.create(path);
  if (!file) return file.error();
  return (*file)->append(content);
}

TEST(FaultyFiles, FailOneOperation) {
  FaultyFiles files;
  files.inject_fault(2, Fault::Fails);
  const auto file = files.create("f/a");
  ASSERT_TRUE(succeeded(file));
  EXPECT_TRUE(failed((*file)->append("lost"), ErrorCode::Unavailable));
  EXPECT_TRUE(files.was_fault_injected());
  EXPECT_TRUE(succeeded((*file)->append("kept")));
  EXPECT_EQ(read(files, "f/a"), "kept");
}

TEST(FaultyFiles, WriteHalfOfAnAppend) {
  FaultyFiles files;
  files.inject_fault(2, Fault::Tears);
  EXPECT_TRUE(failed(write(files, "f/a", "halfhalf"), ErrorCode::Unavailable));
  EXPECT_EQ(read(files, "f/a"), "half");
}

TEST(FaultyFiles, DoNothingAfterAKill) {
  FaultyFiles files;
  const auto file = files.create("f/a");
  ASSERT_TRUE(succeeded(file));
  files.inject_fault(1, Fault::Kills);
  EXPECT_TRUE(failed((*file)->append("halfhalf"), ErrorCode::Unavailable));
  EXPECT_TRUE(failed((*file)->append("more"), ErrorCode::Unavailable));
  EXPECT_TRUE(failed(files.create("f/b"), ErrorCode::Unavailable));

  files.restart(Surviving::Everything);
  EXPECT_EQ(read(files, "f/a"), "half");
  EXPECT_EQ(read(files, "f/b"), "none");
  EXPECT_TRUE(failed((*file)->append("of the old process"), ErrorCode::Unavailable));
  EXPECT_EQ(read(files, "f/a"), "half");
}

TEST(FaultyFiles, ReleaseTheLocksOfAKilledProcess) {
  FaultyFiles files;
  auto old = files.lock("f/lock");
  ASSERT_TRUE(succeeded(old));
  files.restart(Surviving::Everything);
  const auto lock = files.lock("f/lock");
  ASSERT_TRUE(succeeded(lock));
  old->reset();
  EXPECT_TRUE(failed(files.lock("f/lock"), ErrorCode::Conflict));
}

TEST(FaultyFiles, LoseUnsyncedDataOnPowerFailure) {
  FaultyFiles files;
  const auto file = files.create("f/a");
  ASSERT_TRUE(succeeded(file));
  ASSERT_TRUE(succeeded((*file)->append("synced")));
  ASSERT_TRUE(succeeded((*file)->sync()));
  ASSERT_TRUE(succeeded(files.sync_folder("f")));
  ASSERT_TRUE(succeeded((*file)->append(" and not")));
  ASSERT_TRUE(succeeded(write(files, "f/b", "without a name")));
  files.restart(Surviving::SyncedOnly);
  EXPECT_EQ(read(files, "f/a"), "synced");
  EXPECT_EQ(read(files, "f/b"), "none");
}

TEST(FaultyFiles, RestoreARemovedFileWithoutAFolderSync) {
  FaultyFiles files;
  ASSERT_TRUE(succeeded(replace_file(files, "f/a", "content")));
  ASSERT_TRUE(succeeded(files.remove("f/a")));
  files.restart(Surviving::SyncedOnly);
  EXPECT_EQ(read(files, "f/a"), "content");
}

TEST(FaultyFiles, KeepRandomPartsOfUnsyncedData) {
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    FaultyFiles files;
    ASSERT_TRUE(succeeded(write(files, "f/a", "ab")));
    files.restart(Surviving::RandomParts, seed);
    seen.insert(read(files, "f/a"));
  }
  const std::string zeros("\0\0", 2);
  EXPECT_EQ(seen, (std::set<std::string>{"", zeros, "a", std::string("a\0", 2), "ab", "none"}));
}

TEST(ReplaceFile, LeavesTheOldOrTheNewFileAfterAnyFailure) {
  for (const Fault fault : {Fault::Fails, Fault::Tears, Fault::Kills})
    for (const Surviving surviving : {Surviving::Everything, Surviving::SyncedOnly, Surviving::RandomParts})
      for (std::uint64_t seed = 0; seed < (surviving == Surviving::RandomParts ? 50 : 1); ++seed)
        for (std::uint64_t nth = 1;; ++nth) {
          FaultyFiles files;
          ASSERT_TRUE(succeeded(replace_file(files, "f/a", "the old content")));
          files.inject_fault(nth, fault);
          const bool is_done = replace_file(files, "f/a", "the new content").has_value();
          const bool was_fault_injected = files.was_fault_injected();
          EXPECT_NE(is_done, was_fault_injected);
          files.restart(surviving, seed);
          const std::string found = read(files, "f/a");
          EXPECT_TRUE(found == "the new content" || (!is_done && found == "the old content")) << found << " " << nth;
          if (!was_fault_injected) break;
        }
}

}  // namespace
}  // namespace kbase::tests
