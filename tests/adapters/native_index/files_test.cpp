// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/files/files.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>

#include "adapters/native_index/files/section_file.hpp"
#include "tests/adapters/native_index/faulty_files.hpp"
#include "tests/support/outcome.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kbase::tests {
namespace {
using native_index::as_text;
using native_index::PosixFiles;

/// Runs the same tests on the operating system and on the in-memory disk, so that tests on the latter are meaningful.
template <class Files> class AnyFiles : public testing::Test {
 protected:
  std::filesystem::path at(const std::string& name) { return folder_.path() / name; }

  void write(const std::string& name, std::string_view content) {
    const auto file = files_.create(at(name));
    ASSERT_TRUE(succeeded(file));
    ASSERT_TRUE(succeeded((*file)->append(content)));
    ASSERT_TRUE(succeeded((*file)->sync()));
  }

  std::string read(const std::string& name) {
    const auto file = files_.map(at(name));
    EXPECT_TRUE(succeeded(file));
    return file ? std::string(as_text((*file)->bytes())) : std::string();
  }

  TemporaryFolder folder_;
  Files files_;
};

using Kinds = testing::Types<PosixFiles, FaultyFiles>;
TYPED_TEST_SUITE(AnyFiles, Kinds);

TYPED_TEST(AnyFiles, ReadBackWhatWasAppended) {
  const auto file = this->files_.create(this->at("a"));
  ASSERT_TRUE(succeeded(file));
  EXPECT_TRUE(succeeded((*file)->append("one ")));
  EXPECT_TRUE(succeeded((*file)->append("")));
  EXPECT_TRUE(succeeded((*file)->append("two")));
  EXPECT_EQ(this->read("a"), "one two");
}

TYPED_TEST(AnyFiles, MapAFileAtAMultipleOf64) {
  this->write("a", "content");
  const auto file = this->files_.map(this->at("a"));
  ASSERT_TRUE(succeeded(file));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>((*file)->bytes().data()) % 64, 0U);
}

TYPED_TEST(AnyFiles, MapAnEmptyFileAsNoBytes) {
  this->write("a", "");
  EXPECT_EQ(this->read("a"), "");
}

TYPED_TEST(AnyFiles, ReportAMissingFile) { EXPECT_TRUE(failed(this->files_.map(this->at("a")), ErrorCode::NotFound)); }

TYPED_TEST(AnyFiles, KeepAMappingWhoseFileIsReplacedOrRemoved) {
  this->write("a", "old");
  const auto old = this->files_.map(this->at("a"));
  ASSERT_TRUE(succeeded(old));
  this->write("a", "new and longer");
  EXPECT_EQ(as_text((*old)->bytes()), "old");
  EXPECT_EQ(this->read("a"), "new and longer");
  EXPECT_TRUE(succeeded(this->files_.remove(this->at("a"))));
  EXPECT_EQ(as_text((*old)->bytes()), "old");
}

TYPED_TEST(AnyFiles, KeepTheBytesOfAReleasedPart) {
  const std::string content(100'000, 'x');
  this->write("a", content);
  const auto file = this->files_.map(this->at("a"));
  ASSERT_TRUE(succeeded(file));
  (*file)->release((*file)->bytes().subspan(5'000, 90'000));
  (*file)->release({});
  EXPECT_EQ(as_text((*file)->bytes()), content);
}

TYPED_TEST(AnyFiles, RenameOverAnotherFile) {
  this->write("a", "new");
  this->write("b", "old");
  EXPECT_TRUE(succeeded(this->files_.rename(this->at("a"), this->at("b"))));
  EXPECT_TRUE(succeeded(this->files_.sync_folder(this->folder_.path())));
  EXPECT_EQ(this->read("b"), "new");
  EXPECT_TRUE(failed(this->files_.map(this->at("a")), ErrorCode::NotFound));
}

TYPED_TEST(AnyFiles, RejectRenamingAMissingFile) {
  EXPECT_TRUE(failed(this->files_.rename(this->at("a"), this->at("b")), ErrorCode::Unavailable));
}

TYPED_TEST(AnyFiles, IgnoreRemovingAMissingFile) { EXPECT_TRUE(succeeded(this->files_.remove(this->at("a")))); }

TYPED_TEST(AnyFiles, ListFilesByName) {
  this->write("b", "");
  this->write("a", "");
  std::filesystem::create_directory(this->at("a folder"));
  const auto names = this->files_.list(this->folder_.path());
  ASSERT_TRUE(succeeded(names));
  EXPECT_EQ(*names, (std::vector<std::string>{"a", "b"}));
}

TYPED_TEST(AnyFiles, CreateAFolderTwice) {
  EXPECT_TRUE(succeeded(this->files_.create_folder(this->at("x/y"))));
  EXPECT_TRUE(succeeded(this->files_.create_folder(this->at("x/y"))));
  this->write("x/y/a", "deep");
  EXPECT_EQ(this->read("x/y/a"), "deep");
}

TYPED_TEST(AnyFiles, LockForOneOwner) {
  auto first = this->files_.lock(this->at("lock"));
  ASSERT_TRUE(succeeded(first));
  EXPECT_TRUE(failed(this->files_.lock(this->at("lock")), ErrorCode::Conflict));
  EXPECT_TRUE(succeeded(this->files_.lock(this->at("another lock"))));
  first->reset();
  EXPECT_TRUE(succeeded(this->files_.lock(this->at("lock"))));
}

TYPED_TEST(AnyFiles, ReplaceAFileAtomically) {
  EXPECT_TRUE(succeeded(native_index::replace_file(this->files_, this->at("a"), "first")));
  EXPECT_EQ(this->read("a"), "first");
  EXPECT_TRUE(succeeded(native_index::replace_file(this->files_, this->at("a"), "second")));
  EXPECT_EQ(this->read("a"), "second");
  EXPECT_EQ(*this->files_.list(this->folder_.path()), std::vector<std::string>{"a"});
}

TEST(PosixFiles, TakeReleasedPagesOutOfMemory) {
  constexpr std::size_t kPage = 4'096;
  const TemporaryFolder folder;
  PosixFiles files;
  const auto written = files.create(folder.path() / "a");
  ASSERT_TRUE(succeeded(written) && succeeded((*written)->append(std::string(64 * kPage, 'x'))));
  const auto file = files.map(folder.path() / "a");
  ASSERT_TRUE(succeeded(file));
  const std::span<const std::byte> bytes = (*file)->bytes();
  const auto count_faults = [bytes] {
    rusage before{}, after{};
    getrusage(RUSAGE_SELF, &before);
    unsigned sum = 0;
    for (std::size_t i = 0; i < bytes.size(); i += kPage)
      sum += std::to_integer<unsigned>(*const_cast<const volatile std::byte*>(&bytes[i]));
    getrusage(RUSAGE_SELF, &after);
    EXPECT_EQ(sum, 64U * 'x');
    return after.ru_minflt - before.ru_minflt + after.ru_majflt - before.ru_majflt;
  };
  count_faults();
  EXPECT_EQ(count_faults(), 0);
  (*file)->release(bytes);
  EXPECT_GT(count_faults(), 0);
}

TEST(PosixFiles, NameThePathOfAFailure) {
  PosixFiles files;
  const TemporaryFolder folder;
  const auto file = files.create(folder.path() / "no such folder" / "a");
  ASSERT_TRUE(failed(file, ErrorCode::Unavailable));
  EXPECT_NE(file.error().detail.find("no such folder/a"), std::string::npos) << file.error().detail;
  EXPECT_TRUE(failed(files.list(folder.path() / "no such folder"), ErrorCode::Unavailable));
  EXPECT_TRUE(failed(files.sync_folder(folder.path() / "no such folder"), ErrorCode::Unavailable));
  EXPECT_TRUE(failed(files.map(folder.path()), ErrorCode::Unavailable)) << "a folder is not a file";
}

/// Limits the size of every file of this process: the closest to a full disk that needs no privileges.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit before_{};
};

TEST(PosixFiles, ReportAFullDisk) {
  PosixFiles files;
  const TemporaryFolder folder;
  const auto file = files.create(folder.path() / "a");
  ASSERT_TRUE(succeeded(file));
  Status appended;
  {
    const FullDisk full(1000);
    appended = (*file)->append(std::string(2000, 'x'));
  }
  ASSERT_TRUE(failed(appended, ErrorCode::Unavailable));
  EXPECT_NE(appended.error().message.find("disk of the search index is full"), std::string::npos)
      << appended.error().message;
}

}  // namespace
}  // namespace kbase::tests
