// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/files/section_file.hpp"

#include <gtest/gtest.h>

#include "tests/adapters/native_index/faulty_files.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {
using native_index::as_text;
using native_index::section_kind;
using native_index::SectionFile;
using native_index::SectionFileWriter;

constexpr std::uint32_t kFormat = 7;
constexpr auto kFirst = section_kind("one.");
constexpr auto kSecond = section_kind("two.");
constexpr auto kLarge = section_kind("big.");
const std::string kPath = "f/segment";

std::string large_content() {
  std::string content;
  for (int i = 0; content.size() < 1'000'000; ++i) content += std::to_string(i) + ' ';
  return content;
}

Status write_file(FaultyFiles& files, std::string_view large) {
  auto writer = SectionFileWriter::create(files, kPath, kFormat);
  if (!writer) return writer.error();
  if (const auto done = writer->begin(kFirst); !done) return done;
  if (const auto done = writer->append("first"); !done) return done;
  if (const auto done = writer->begin(kSecond); !done) return done;
  if (const auto done = writer->begin(kLarge); !done) return done;
  for (std::size_t size = 1; !large.empty(); size *= 3) {
    if (const auto done = writer->append(large.substr(0, size)); !done) return done;
    large.remove_prefix(std::min(size, large.size()));
  }
  return writer->finish();
}

TEST(SectionFile, ReturnsWhatWasWritten) {
  FaultyFiles files;
  const std::string large = large_content();
  ASSERT_TRUE(succeeded(write_file(files, large)));
  const auto file = SectionFile::open(files, kPath, kFormat);
  ASSERT_TRUE(succeeded(file));
  EXPECT_EQ(as_text((*file)->section(kFirst)), "first");
  EXPECT_EQ(as_text((*file)->section(kSecond)), "");
  EXPECT_EQ(as_text((*file)->section(kLarge)), large);
  EXPECT_TRUE((*file)->section(section_kind("none")).empty());
  EXPECT_EQ((*file)->bytes(), files.content(kPath).size());
  EXPECT_TRUE(succeeded((*file)->verify()));
}

TEST(SectionFile, BeginsEachSectionAtAMultipleOf64) {
  FaultyFiles files;
  ASSERT_TRUE(succeeded(write_file(files, "large")));
  const auto file = SectionFile::open(files, kPath, kFormat);
  ASSERT_TRUE(succeeded(file));
  for (const auto kind : {kFirst, kSecond, kLarge})
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>((*file)->section(kind).data()) % 64, 0U) << name_of(kind);
}

TEST(SectionFile, CanHaveNoSections) {
  FaultyFiles files;
  {
    auto writer = SectionFileWriter::create(files, kPath, kFormat);
    ASSERT_TRUE(succeeded(writer));
    ASSERT_TRUE(succeeded(writer->finish()));
  }
  const auto file = SectionFile::open(files, kPath, kFormat);
  ASSERT_TRUE(succeeded(file));
  EXPECT_TRUE(succeeded((*file)->verify()));
}

TEST(SectionFile, IsNotFoundIfMissing) {
  FaultyFiles files;
  EXPECT_TRUE(failed(SectionFile::open(files, kPath, kFormat), ErrorCode::NotFound));
}

TEST(SectionFile, OfAnotherFormatIsRejected) {
  FaultyFiles files;
  ASSERT_TRUE(succeeded(write_file(files, "")));
  const auto file = SectionFile::open(files, kPath, kFormat + 1);
  ASSERT_TRUE(failed(file, ErrorCode::Unsupported));
  EXPECT_NE(file.error().detail.find("f/segment has format 7"), std::string::npos) << file.error().detail;
}

TEST(SectionFile, TruncatedAnywhereIsDamaged) {
  FaultyFiles files;
  ASSERT_TRUE(succeeded(write_file(files, "large")));
  const std::string whole = files.content(kPath);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    ASSERT_TRUE(succeeded(native_index::replace_file(files, "f/cut", whole.substr(0, size))));
    ASSERT_TRUE(failed(SectionFile::open(files, "f/cut", kFormat), ErrorCode::Corrupt)) << size;
  }
}

/// Zero bytes between sections are padding, so a flipped bit there is not detected. All others must be.
TEST(SectionFile, DetectsEachFlippedBit) {
  FaultyFiles files;
  ASSERT_TRUE(succeeded(write_file(files, "large")));
  const std::string whole = files.content(kPath);
  for (std::uint64_t bit = 0; bit < whole.size() * 8; ++bit) {
    if (whole[bit / 8] == '\0' && bit / 8 < 192) continue;
    files.flip_bit(kPath, bit);
    const auto file = SectionFile::open(files, kPath, kFormat);
    ASSERT_TRUE(!file || !(*file)->verify()) << "bit " << bit;
    files.flip_bit(kPath, bit);
  }
}

TEST(SectionFile, NamesTheDamagedSections) {
  FaultyFiles files;
  ASSERT_TRUE(succeeded(write_file(files, "large")));
  files.flip_bit(kPath, 64 * 8);
  files.flip_bit(kPath, 128 * 8);
  const auto file = SectionFile::open(files, kPath, kFormat);
  ASSERT_TRUE(succeeded(file)) << "opening does not read the sections";
  const auto verified = (*file)->verify();
  ASSERT_TRUE(failed(verified, ErrorCode::Corrupt));
  EXPECT_EQ(verified.error().detail, "f/segment has sections with a wrong checksum: one., big.");
}

TEST(SectionFile, StopsVerifyingWhenCancelled) {
  FaultyFiles files;
  ASSERT_TRUE(succeeded(write_file(files, large_content())));
  int checks = 0;
  const auto stops_at = [&](int nth) { return [&checks, nth] { return ++checks == nth; }; };
  const auto sound = SectionFile::open(files, kPath, kFormat);
  EXPECT_TRUE(succeeded((*sound)->verify(stops_at(0))));
  EXPECT_TRUE(failed((*sound)->verify(stops_at(checks + 1)), ErrorCode::Cancelled));
  files.flip_bit(kPath, 64 * 8);
  const auto file = SectionFile::open(files, kPath, kFormat);
  const auto verified = (*file)->verify(stops_at(0));
  ASSERT_TRUE(failed(verified, ErrorCode::Corrupt));
  EXPECT_EQ(verified.error().detail, "f/segment has sections with a wrong checksum: one.");
}

TEST(SectionFileWriter, LeavesNoFileUnlessFinished) {
  FaultyFiles files;
  {
    auto writer = SectionFileWriter::create(files, kPath, kFormat);
    ASSERT_TRUE(succeeded(writer));
    ASSERT_TRUE(succeeded(writer->begin(kFirst)));
    ASSERT_TRUE(succeeded(writer->append("given up")));
  }
  EXPECT_TRUE(files.list("f")->empty());
}

TEST(SectionFileWriter, ReportsAnyFailedOperation) {
  const std::string large = large_content();
  for (const Fault fault : {Fault::Fails, Fault::Tears, Fault::Kills})
    for (std::uint64_t nth = 1;; ++nth) {
      FaultyFiles files;
      files.inject_fault(nth, fault);
      const bool is_done = write_file(files, large).has_value();
      if (!files.was_fault_injected()) break;
      EXPECT_FALSE(is_done) << files.log().back();
      if (fault == Fault::Fails) {
        EXPECT_TRUE(files.list("f")->empty()) << files.log().back();
      }
    }
}

TEST(SectionFileWriter, HasSyncedEverythingWhenFinished) {
  FaultyFiles files;
  ASSERT_TRUE(succeeded(write_file(files, large_content())));
  ASSERT_TRUE(succeeded(files.sync_folder("f")));
  files.restart(Surviving::SyncedOnly);
  const auto file = SectionFile::open(files, kPath, kFormat);
  ASSERT_TRUE(succeeded(file));
  EXPECT_TRUE(succeeded((*file)->verify()));
}

}  // namespace
}  // namespace kbase::tests
