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

  static ViewJournal::Segment seal_segment(ViewJournal& journal) {
    const auto segment = journal.close_oldest();
    EXPECT_TRUE(segment);
    return segment.value_or(ViewJournal::Segment{});
  }

  static std::vector<ViewJournal::Increment> read(const ViewJournal::Segment& segment) {
    auto increments = ViewJournal::read(segment);
    EXPECT_TRUE(increments);
    return increments ? *std::move(increments) : std::vector<ViewJournal::Increment>();
  }

  /// The only file in the journal's folder.
  std::filesystem::path segment_file() const {
    return std::filesystem::directory_iterator(folder_.path() / "journal")->path();
  }

  TemporaryFolder folder_;
  CountingRandom random_;
};

TEST_F(ViewJournalTest, SealsAppendedViews) {
  ViewJournal journal = open();
  append(journal, "a", 2);
  append(journal, "b/ü", 1);
  const auto increments = read(seal_segment(journal));
  ASSERT_EQ(increments.size(), 2U);
  EXPECT_EQ(increments[0].item, "a");
  EXPECT_EQ(increments[0].day, kToday);
  EXPECT_EQ(increments[0].views, 2U);
  EXPECT_EQ(increments[1].item, "b/ü");
}

TEST_F(ViewJournalTest, AddsUpTheViewsOfAnItemByDay) {
  ViewJournal journal = open();
  append(journal, "a", 2);
  append(journal, "b", 1);
  append(journal, "a", 3);
  const ports::ViewIncrement tomorrow[] = {{"a", kToday + std::chrono::days(1), 4}};
  ASSERT_TRUE(journal.append(tomorrow));
  const auto increments = read(seal_segment(journal));
  ASSERT_EQ(increments.size(), 3U);
  EXPECT_EQ(increments[0].views, 5U);
  EXPECT_EQ(increments[1].day, kToday + std::chrono::days(1));
  EXPECT_EQ(increments[1].views, 4U);
  EXPECT_EQ(increments[2].item, "b");
}

TEST_F(ViewJournalTest, SealsNothingBeforeAnAppend) {
  ViewJournal journal = open();
  EXPECT_FALSE(journal.close_oldest());
}

TEST_F(ViewJournalTest, NumbersTheSegmentsOfOneJournal) {
  ViewJournal journal = open();
  append(journal, "a", 1);
  const auto first = seal_segment(journal);
  journal.discard(first);
  append(journal, "a", 1);
  const auto second = seal_segment(journal);
  EXPECT_EQ(first.journal, second.journal);
  EXPECT_EQ(first.sequence + 1, second.sequence);
}

TEST_F(ViewJournalTest, ReturnsOneSegmentUntilItIsDiscardedAndThenTheViewsAppendedMeanwhile) {
  ViewJournal journal = open();
  append(journal, "a", 1);
  const auto first = seal_segment(journal);
  append(journal, "b", 1);
  EXPECT_EQ(seal_segment(journal).sequence, first.sequence);
  append(journal, "c", 1);
  journal.discard(first);
  EXPECT_EQ(read(seal_segment(journal)).size(), 2U) << "b and c";
}

TEST_F(ViewJournalTest, StartsAnotherSegmentWhenTheOpenOneIsFull) {
  ViewJournal journal = open();
  const std::vector<ports::ViewIncrement> almost_all(ViewJournal::kMaxRecords - 1, {"a", kToday, 1});
  ASSERT_TRUE(journal.append(almost_all));
  append(journal, "b", 1);
  append(journal, "c", 1);
  const auto full = seal_segment(journal);
  EXPECT_EQ(read(full).size(), 2U) << "a and b";
  journal.discard(full);
  EXPECT_EQ(read(seal_segment(journal)).front().item, "c");
}

TEST_F(ViewJournalTest, KeepsASegmentThatCannotBeRead) {
  ViewJournal journal = open();
  append(journal, "a", 1);
  const auto segment = seal_segment(journal);
  std::filesystem::remove(segment.path);
  std::filesystem::create_directory(segment.path);
  const auto increments = ViewJournal::read(segment);
  ASSERT_FALSE(increments);
  EXPECT_EQ(increments.error().code, ErrorCode::Unavailable);
}

TEST_F(ViewJournalTest, ReturnsNoViewsOfARemovedSegment) {
  ViewJournal journal = open();
  append(journal, "a", 1);
  const auto segment = seal_segment(journal);
  std::filesystem::remove(segment.path);
  EXPECT_TRUE(read(segment).empty());
}

TEST_F(ViewJournalTest, FindsTheSegmentsOfAKilledProcess) {
  {
    ViewJournal killed = open();
    append(killed, "a", 3);
    seal_segment(killed);
    append(killed, "b", 4);
  }
  const auto find_leftover_segments = open().find_leftover_segments();
  ASSERT_TRUE(find_leftover_segments);
  ASSERT_EQ(find_leftover_segments->size(), 2U);
  EXPECT_EQ(read((*find_leftover_segments)[0])[0].item, "a");
  EXPECT_EQ(read((*find_leftover_segments)[1])[0].item, "b");
  EXPECT_LT((*find_leftover_segments)[0].sequence, (*find_leftover_segments)[1].sequence);
}

TEST_F(ViewJournalTest, DeletesADiscardedSegment) {
  ViewJournal journal = open();
  append(journal, "a", 1);
  journal.discard(seal_segment(journal));
  EXPECT_FALSE(journal.close_oldest());
  EXPECT_TRUE(open().find_leftover_segments()->empty());
}

TEST_F(ViewJournalTest, ReadsUpToATornRecord) {
  {
    ViewJournal killed = open();
    append(killed, "whole", 1);
    append(killed, "torn", 1);
  }
  const auto file = segment_file();
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 2);
  const auto find_leftover_segments = open().find_leftover_segments();
  ASSERT_EQ(find_leftover_segments->size(), 1U);
  const auto increments = read(find_leftover_segments->front());
  ASSERT_EQ(increments.size(), 1U);
  EXPECT_EQ(increments[0].item, "whole");
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
  const auto find_leftover_segments = open().find_leftover_segments();
  EXPECT_EQ(read(find_leftover_segments->front()).size(), 1U);
}

TEST_F(ViewJournalTest, IgnoresOtherFiles) {
  open();
  std::ofstream(folder_.path() / "journal" / "notes.txt") << "mine";
  EXPECT_TRUE(open().find_leftover_segments()->empty());
}

}  // namespace
}  // namespace kbase::runtime
