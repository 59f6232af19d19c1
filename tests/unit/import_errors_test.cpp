// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>

#include "domain/usecases/transfer_content.hpp"
#include "tests/support/mocks/driven/activity_store.hpp"
#include "tests/support/mocks/driven/item_store.hpp"
#include "tests/support/plain_markup.hpp"
#include "tests/unit/import_fixture.hpp"

namespace kbase::tests {
namespace {
using ports::OnError;
using trompeloeil::_;
using Strings = std::vector<std::string>;

const ports::ImportOptions kSkip{.on_error = OnError::Skip};

class ImportErrors : public ImportFixture {
 protected:
  static ListedSource many(std::string name, int items) {
    ListedSource source(std::move(name));
    for (int i = 0; i < items; ++i) source.add(ItemLine{.id = "item" + std::to_string(i)});
    return source;
  }
};

TEST_F(ImportErrors, StopAtABadRecordWithItsPositionAndReason) {
  const auto imported = import({ItemLine{.id = "a"}, BadLine{"title is missing", "{}"}, ItemLine{.id = "b"}});
  ASSERT_TRUE(failed(imported, ErrorCode::InvalidArgument));
  EXPECT_EQ(imported.error().message, "file:2: title is missing");
  EXPECT_EQ(report_.rejected, 1u);
}

TEST_F(ImportErrors, NameOnlyTheFileIfTheWholeFileIsBad) {
  class WholeFile final : public ports::ContentSource {
   public:
    std::string_view name() const override { return "folder"; }
    std::optional<double> progress() const override { return std::nullopt; }
    Status read(ports::Call&, Visitor<ports::ContentRecord> visitor) override {
      visitor({{"folder/a.md", 0}, ports::Reject{"its front matter is never closed"}});
      return {};
    }
  } source;
  const auto imported = import_sources({&source});
  ASSERT_TRUE(failed(imported, ErrorCode::InvalidArgument));
  EXPECT_EQ(imported.error().message, "folder/a.md: its front matter is never closed");
}

TEST_F(ImportErrors, CommitNothingOfAFailedSource) {
  ASSERT_TRUE(succeeded(import({ItemLine{.id = "old"}})));
  const model::Revision before = revision();
  ListedSource source = many("file", 501);
  source.add(DeleteLine{"old"});
  source.add(CategoryLine{.id = "box"});
  source.add(ActivityLine{"old", {{day("2026-03-01"), 3}}});
  source.add(BadLine{"not JSON", "x"});
  EXPECT_FALSE(import_sources({&source}));
  EXPECT_EQ(revision(), before);
  EXPECT_EQ(item_count(), 1u);
  EXPECT_EQ(categories(), "shelf=shelf(1)");
  EXPECT_EQ(activity(), Strings{});
  EXPECT_TRUE(events_.batches.empty());
  EXPECT_EQ(report_.added, 0u);
}

TEST_F(ImportErrors, KeepTheSourcesBeforeAFailedSource) {
  ListedSource first("first", {ItemLine{.id = "a"}});
  ListedSource second("second", {ItemLine{.id = "b"}, BadLine{"not JSON", "x"}});
  ListedSource third("third", {ItemLine{.id = "c"}});
  EXPECT_FALSE(import_sources({&first, &second, &third}));
  EXPECT_EQ(item_count(), 1u);
  EXPECT_EQ(report_.added, 1u);
  EXPECT_EQ(report_.revision, revision());
  ASSERT_EQ(events_.batches.size(), 1u);
}

TEST_F(ImportErrors, ReportEmptySources) {
  ListedSource empty("empty"), bad("bad", {BadLine{"not JSON", "x"}}), good("good", {ItemLine{.id = "a"}});
  ListedSource unreadable("unreadable");
  unreadable.end = invalid_argument({}, "cannot be read");
  EXPECT_TRUE(succeeded(import_sources({&empty, &bad, &good, &unreadable}, kSkip)));
  EXPECT_EQ(events_.empty_sources, Strings{"empty"});
}

TEST_F(ImportErrors, ReportUnknownMembersOfBadRecords) {
  class Misspelt final : public ports::ContentSource {
   public:
    std::string_view name() const override { return "file"; }
    std::optional<double> progress() const override { return std::nullopt; }
    Status read(ports::Call&, Visitor<ports::ContentRecord> visitor) override {
      const std::string_view misspelt[] = {"titel"};
      const std::string_view extra[] = {"level"};
      visitor({{"file", 1}, ports::CategoryRecord{"shelf", "", "", "", {}}, {{}, extra}});
      visitor({{"file", 2}, ports::Reject{"title is missing"}, {misspelt, {}}});
      return {};
    }
  } source;
  EXPECT_TRUE(succeeded(import_sources({&source}, kSkip)));
  EXPECT_EQ(events_.unknown, (Strings{"stored level", "ignored titel"}));
}

TEST_F(ImportErrors, AllowAnotherImportAfterAFailedOne) {
  EXPECT_FALSE(import({BadLine{"not JSON", "x"}}));
  EXPECT_TRUE(succeeded(import({ItemLine{.id = "a"}})));
}

TEST_F(ImportErrors, StopAtASourceThatCannotBeRead) {
  ListedSource source("file", {ItemLine{.id = "a"}});
  source.end = invalid_argument({}, "file: cannot be read: Permission denied");
  const auto imported = import_sources({&source});
  ASSERT_TRUE(failed(imported, ErrorCode::InvalidArgument));
  EXPECT_EQ(imported.error().message, "file: cannot be read: Permission denied");
  EXPECT_EQ(item_count(), 0u);
}

TEST_F(ImportErrors, KeepTheRestIfBadRecordsAreSkipped) {
  ASSERT_TRUE(succeeded(import({BadLine{"not JSON", "{x"}, ItemLine{.id = "a"}, BadLine{"no id", "{}"}}, kSkip)));
  EXPECT_EQ(item_count(), 1u);
  EXPECT_EQ(report_.rejected, 2u);
  EXPECT_EQ(report_.added, 1u);
  EXPECT_EQ(events_.rejects, (Strings{"file:1 not JSON <{x>", "file:3 no id <{}>"}));
}

TEST_F(ImportErrors, CommitEveryThousandRecordsIfBadOnesAreSkipped) {
  ListedSource source = many("file", 2001);
  ASSERT_TRUE(succeeded(import_sources({&source}, kSkip)));
  ASSERT_EQ(events_.batches.size(), 3u);
  EXPECT_EQ(events_.batches[0].added, 1000u);
  EXPECT_EQ(events_.batches[1].added, 2000u);
  EXPECT_EQ(events_.batches[2].added, 2001u);
  EXPECT_EQ(events_.batches[2].revision, revision());
}

TEST_F(ImportErrors, CommitOneBatchPerSourceIfTheFirstBadRecordStops) {
  ListedSource first = many("first", 1001), second = many("second", 1);
  ASSERT_TRUE(succeeded(import_sources({&first, &second}, {.source = "both"})));
  ASSERT_EQ(events_.batches.size(), 2u);
  EXPECT_EQ(events_.batches[0].added, 1001u);
}

TEST_F(ImportErrors, NeverExposeHalfABatch) {
  ListedSource source = many("file", 501);
  std::uint64_t seen = 0;
  source.before_line = [&](std::size_t) { seen = std::max(seen, item_count()); };
  ASSERT_TRUE(succeeded(import_sources({&source})));
  EXPECT_EQ(seen, 0u);
  EXPECT_EQ(item_count(), 501u);
}

TEST_F(ImportErrors, CountAnUnreadableSourceAsARejectIfBadRecordsAreSkipped) {
  ListedSource first("first", {ItemLine{.id = "a"}}), second("second", {ItemLine{.id = "b"}});
  first.end = invalid_argument({}, "first: the gzip stream is damaged");
  ASSERT_TRUE(succeeded(import_sources({&first, &second}, kSkip)));
  EXPECT_EQ(item_count(), 2u);
  EXPECT_EQ(report_.rejected, 1u);
  EXPECT_EQ(events_.rejects, Strings{"first:0 first: the gzip stream is damaged <>"});
}

TEST_F(ImportErrors, ReturnOtherFailuresOfASourceEvenIfBadRecordsAreSkipped) {
  ListedSource source("file", {ItemLine{.id = "a"}});
  source.end = error_of(ErrorCode::NoMemory);
  EXPECT_TRUE(failed(import_sources({&source}, kSkip), ErrorCode::NoMemory));
  EXPECT_EQ(item_count(), 0u);
}

TEST_F(ImportErrors, DiscardTheOpenBatchOfACancelledImport) {
  std::atomic<bool> cancel = false;
  call_.cancel = &cancel;
  ListedSource source = many("file", 1100);
  source.before_line = [&](std::size_t line) { cancel = line == 1050; };
  EXPECT_TRUE(failed(import_sources({&source}), ErrorCode::Cancelled));
  EXPECT_EQ(item_count(), 0u);
  cancel = false;
  EXPECT_TRUE(failed(import_sources({&source}, kSkip), ErrorCode::Cancelled));
  EXPECT_EQ(item_count(), 1000u) << "the previous batch is committed";
  EXPECT_EQ(report_.added, 1000u);
}

TEST_F(ImportErrors, ReportProgress) {
  ListedSource first = many("first", 1001), second("second", {BadLine{"not JSON", "x"}});
  ASSERT_TRUE(succeeded(import_sources({&first, &second}, kSkip)));
  EXPECT_EQ(events_.progress, (Strings{"first 1000", "first 1001", "second 1"}));
}

TEST_F(ImportErrors, DoNothingWithoutASource) {
  ASSERT_TRUE(succeeded(import_sources({}, {.prune = true})));
  EXPECT_EQ(report_.added + report_.removed, 0u);
}

TEST_F(ImportErrors, FailWhileAnotherImportRuns) {
  MockItemStore items;
  ALLOW_CALL(items, revision(_)).RETURN(model::Revision{0});
  Error busy = error_of(ErrorCode::Conflict);
  busy.message = "another import is running";
  REQUIRE_CALL(items, begin(_)).RETURN(busy);
  usecases::TransferContent transfer(items, activity_, kPlainMarkup, clock_);
  ListedSource source("file", {ItemLine{.id = "a"}});
  ports::ContentSource* const sources[] = {&source};
  const auto imported = transfer.import(call_, sources, {}, events_, report_);
  ASSERT_TRUE(failed(imported, ErrorCode::Conflict));
  EXPECT_EQ(imported.error().message, "another import is running");
}

TEST_F(ImportErrors, SetActivityOnlyAfterTheCommit) {
  MockItemStore items;
  ALLOW_CALL(items, revision(_)).RETURN(model::Revision{0});
  MockActivityStore activity;
  auto writer = std::make_unique<MockItemWriter>();
  MockItemWriter& batch = *writer;
  trompeloeil::sequence order;
  REQUIRE_CALL(items, begin(_)).LR_RETURN(std::unique_ptr<ports::ItemWriter>(std::move(writer)));
  REQUIRE_CALL(batch, commit(_)).IN_SEQUENCE(order).RETURN(model::Revision{5});
  REQUIRE_CALL(activity, set(_, "a", _)).IN_SEQUENCE(order).RETURN(Status());
  REQUIRE_CALL(activity, set(_, "b", _)).IN_SEQUENCE(order).RETURN(Status());
  usecases::TransferContent transfer(items, activity, kPlainMarkup, clock_);
  ListedSource source("file", {ActivityLine{"a", {}}, ActivityLine{"b", {}}});
  ports::ContentSource* const sources[] = {&source};
  ASSERT_TRUE(succeeded(transfer.import(call_, sources, {}, events_, report_)));
  EXPECT_EQ(report_.activity, 2u);
  EXPECT_EQ(report_.revision, 5u);
}

TEST_F(ImportErrors, SetNoActivityIfTheCommitFails) {
  MockItemStore items;
  ALLOW_CALL(items, revision(_)).RETURN(model::Revision{0});
  MockActivityStore activity;
  auto writer = std::make_unique<MockItemWriter>();
  REQUIRE_CALL(*writer, commit(_)).RETURN(error_of(ErrorCode::Unavailable));
  REQUIRE_CALL(items, begin(_)).LR_RETURN(std::unique_ptr<ports::ItemWriter>(std::move(writer)));
  usecases::TransferContent transfer(items, activity, kPlainMarkup, clock_);
  ListedSource source("file", {ActivityLine{"a", {}}});
  ports::ContentSource* const sources[] = {&source};
  EXPECT_TRUE(failed(transfer.import(call_, sources, {}, events_, report_), ErrorCode::Unavailable));
  EXPECT_EQ(report_.activity, 0u);
  EXPECT_TRUE(events_.batches.empty());
}

TEST_F(ImportErrors, ReportCommittedContentIfSettingTheActivityFails) {
  MockActivityStore activity;
  REQUIRE_CALL(activity, set(_, "a", _)).RETURN(error_of(ErrorCode::Unavailable));
  usecases::TransferContent transfer(items_, activity, kPlainMarkup, clock_);
  ListedSource source("file", {ItemLine{.id = "a"}, ActivityLine{"a", {}}});
  ports::ContentSource* const sources[] = {&source};
  EXPECT_TRUE(failed(transfer.import(call_, sources, {}, events_, report_), ErrorCode::Unavailable));
  EXPECT_EQ(item_count(), 1u);
  EXPECT_EQ(report_.added, 1u);
  EXPECT_EQ(report_.activity, 0u);
  EXPECT_EQ(report_.revision, revision());
}

}  // namespace
}  // namespace kbase::tests
