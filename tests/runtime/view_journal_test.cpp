// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/view_journal.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/counting_random.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kbase::runtime {
namespace {

using tests::CountingRandom;
using tests::TemporaryFolder;

const model::Day kToday = std::chrono::sys_days(std::chrono::year(2026) / 3 / 14);

class ViewJournalTest : public testing::Test {
 protected:
  ViewJournal open() {
    auto journal = ViewJournal::open(folder_.path() / "journal", random_);
    EXPECT_TRUE(journal);
    return *std::move(journal);
  }

  static void append(ViewJournal& journal, std::string_view item, std::uint64_t views) {
    const ports::ViewIncrement increments[] = {{item, kToday, views}};
    ASSERT_TRUE(journal.append(increments));
  }

  /// The only file there is in the journal's folder.
  std::filesystem::path segment_file() const {
    return std::filesystem::directory_iterator(folder_.path() / "journal")->path();
  }

  TemporaryFolder folder_;
  CountingRandom random_;
};

TEST_F(ViewJournalTest, SealsWhatWasAppended) {
  ViewJournal journal = open();
  append(journal, "a", 2);
  append(journal, "b/ü", 1);
  ViewJournal::Segment segment;
  const auto sealed = journal.seal(segment);
  ASSERT_TRUE(sealed && *sealed);
  ASSERT_EQ(segment.increments.size(), 2U);
  EXPECT_EQ(segment.increments[0].item, "a");
  EXPECT_EQ(segment.increments[0].day, kToday);
  EXPECT_EQ(segment.increments[0].views, 2U);
  EXPECT_EQ(segment.increments[1].item, "b/ü");
}

TEST_F(ViewJournalTest, HasNothingToSealBeforeAnAppend) {
  ViewJournal journal = open();
  ViewJournal::Segment segment;
  EXPECT_FALSE(*journal.seal(segment));
}

TEST_F(ViewJournalTest, GivesEachSegmentTheNextSequenceOfOneJournal) {
  ViewJournal journal = open();
  ViewJournal::Segment first, second;
  append(journal, "a", 1);
  ASSERT_TRUE(*journal.seal(first));
  append(journal, "a", 1);
  ASSERT_TRUE(*journal.seal(second));
  EXPECT_EQ(first.journal, second.journal);
  EXPECT_EQ(first.sequence + 1, second.sequence);
}

TEST_F(ViewJournalTest, FindsWhatAKilledProcessLeft) {
  {
    ViewJournal killed = open();
    append(killed, "a", 3);
    ViewJournal::Segment sealed;
    ASSERT_TRUE(*killed.seal(sealed));
    append(killed, "b", 4);
  }
  const auto leftovers = open().leftovers();
  ASSERT_TRUE(leftovers);
  ASSERT_EQ(leftovers->size(), 2U);
  EXPECT_EQ((*leftovers)[0].increments[0].item, "a");
  EXPECT_EQ((*leftovers)[1].increments[0].item, "b");
  EXPECT_LT((*leftovers)[0].sequence, (*leftovers)[1].sequence);
}

TEST_F(ViewJournalTest, ForgetsADiscardedSegment) {
  ViewJournal journal = open();
  append(journal, "a", 1);
  ViewJournal::Segment segment;
  ASSERT_TRUE(*journal.seal(segment));
  ViewJournal::discard(segment);
  EXPECT_TRUE(open().leftovers()->empty());
}

TEST_F(ViewJournalTest, ReadsUpToARecordThatIsTorn) {
  {
    ViewJournal killed = open();
    append(killed, "whole", 1);
    append(killed, "torn", 1);
  }
  const auto file = segment_file();
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 2);
  const auto leftovers = open().leftovers();
  ASSERT_EQ(leftovers->size(), 1U);
  ASSERT_EQ(leftovers->front().increments.size(), 1U);
  EXPECT_EQ(leftovers->front().increments[0].item, "whole");
}

TEST_F(ViewJournalTest, ReadsUpToARecordWhoseChecksumFails) {
  {
    ViewJournal killed = open();
    append(killed, "whole", 1);
    append(killed, "spoiled", 1);
  }
  std::fstream file(segment_file(), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(-1, std::ios::end);
  file.put('X');
  file.close();
  const auto leftovers = open().leftovers();
  ASSERT_EQ(leftovers->front().increments.size(), 1U);
}

TEST_F(ViewJournalTest, LeavesFilesOfOthersAlone) {
  open();
  std::ofstream(folder_.path() / "journal" / "notes.txt") << "mine";
  EXPECT_TRUE(open().leftovers()->empty());
}

}  // namespace
}  // namespace kbase::runtime
