// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/files/section_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/adapters/native_index/faulty_files.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {

using native_index::as_text;
using native_index::section_kind;
using native_index::SectionFile;
using native_index::SectionFileWriter;
using native_index::SpooledSection;

constexpr std::uint32_t kFormat = 1;
constexpr auto kFirst = section_kind("frst");
constexpr auto kSpooled = section_kind("spld");

constexpr auto kNever = [] { return false; };

/// Writes a section while another one is spooled.
Status write_both(FaultyFiles& files, std::string_view piece, int pieces, FunctionRef<bool()> stop = kNever) {
  auto file = SectionFileWriter::create(files, "f/s", kFormat);
  if (!file) return file.error();
  SpooledSection spooled(*file, kSpooled);
  if (const auto begun = file->begin(kFirst); !begun) return begun;
  for (int i = 0; i < pieces; ++i) {
    if (const auto appended = spooled.append(piece); !appended) return appended;
    if (const auto appended = file->append("own"); !appended) return appended;
  }
  if (const auto written = spooled.write(stop); !written) return written;
  return file->finish();
}

bool has_spooled(const FaultyFiles& files) {
  const auto log = files.log();
  return std::find(log.begin(), log.end(), "create f/s.spld") != log.end();
}

std::vector<std::string> names(FaultyFiles& files) { return *files.list("f"); }

const std::string kLongPiece(600'000, 'x');

TEST(SpooledSection, WritesDataSpooledDuringAnotherSection) {
  const std::pair<std::string, int> cases[] = {{"little", 3}, {kLongPiece, 7}, {"", 0}};
  for (const auto& [piece, pieces] : cases) {
    FaultyFiles files;
    ASSERT_TRUE(succeeded(write_both(files, piece, pieces)));
    EXPECT_EQ(names(files), std::vector<std::string>{"s"});
    EXPECT_EQ(has_spooled(files), pieces == 7);
    const auto file = SectionFile::open(files, "f/s", kFormat);
    ASSERT_TRUE(succeeded(file));
    ASSERT_TRUE(succeeded((*file)->verify()));
    std::string expected;
    std::string own;
    for (int i = 0; i < pieces; ++i) {
      expected += piece;
      own += "own";
    }
    EXPECT_TRUE(as_text((*file)->section(kSpooled)) == expected);
    EXPECT_EQ(as_text((*file)->section(kFirst)), own);
  }
}

TEST(SpooledSection, LeavesNoFileAfterAnyFailedOperation) {
  for (const Fault fault : {Fault::Fails, Fault::Tears})
    for (std::uint64_t nth = 2;; ++nth) {  // the first operation creates the section file
      FaultyFiles files;
      files.inject_fault(nth, fault);
      const bool is_done = write_both(files, kLongPiece, 7).has_value();
      if (!files.was_fault_injected()) break;
      EXPECT_FALSE(is_done) << files.log().back();
      EXPECT_EQ(names(files), std::vector<std::string>{}) << nth;
    }
}

TEST(SpooledSection, StopsBetweenTwoPieces) {
  FaultyFiles files;
  int checks = 0;
  EXPECT_TRUE(failed(write_both(files, kLongPiece, 7, [&] { return ++checks == 2; }), ErrorCode::Cancelled));
  EXPECT_EQ(checks, 2);
  EXPECT_EQ(names(files), std::vector<std::string>{});
}

}  // namespace
}  // namespace kbase::tests
