// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "domain/usecases/transfer_content.hpp"
#include "tests/unit/import_fixture.hpp"

namespace kbase::tests {
namespace {
using ports::OnError;
using Strings = std::vector<std::string>;

const ports::ImportOptions kPrune{.prune = true};
const ports::ImportOptions kPruneFile{.prune = true, .source = "file"};

class ImportPrune : public ImportFixture {
 protected:
  void SetUp() override {
    ASSERT_TRUE(succeeded(import({ItemLine{.id = "a"}, ItemLine{.id = "b"}, ItemLine{.id = "c", .category = "box"},
                                  ItemLine{.id = "d", .category = "box"}, CategoryLine{.id = "empty"}})));
  }
};

TEST_F(ImportPrune, RemovesItemsThatTheSourceNoLongerContains) {
  ASSERT_TRUE(
      succeeded(import({ItemLine{.id = "a"}, ItemLine{.id = "b"}, ItemLine{.id = "c", .category = "box"}}, kPrune)));
  EXPECT_EQ(item("d"), "none");
  EXPECT_EQ(item_count(), 3u);
  EXPECT_EQ(report_.removed, 1u);
  EXPECT_EQ(report_.unchanged, 3u);
}

TEST_F(ImportPrune, RemovesNothingByDefault) {
  ASSERT_TRUE(succeeded(import({ItemLine{.id = "a"}})));
  EXPECT_EQ(item_count(), 4u);
}

TEST_F(ImportPrune, ComparesWithAllSourcesTogether) {
  ListedSource first("first", {ItemLine{.id = "a"}, ItemLine{.id = "b"}});
  ListedSource second("second", {ItemLine{.id = "c", .category = "box"}});
  ASSERT_TRUE(succeeded(import_sources({&first, &second}, kPruneFile)));
  EXPECT_EQ(item_count(), 3u);
  EXPECT_EQ(events_.batches.size(), 1u) << "one batch, so that the import can still change nothing";
}

TEST_F(ImportPrune, CommitsEachSourceLikeAnImportWithoutPruning) {
  ListedSource first("first", {ItemLine{.id = "new", .created = day("2001-01-01")}, ItemLine{.id = "a"}});
  ListedSource second("second", {ItemLine{.id = "new", .title = "New"}, ItemLine{.id = "b"}});
  ASSERT_TRUE(succeeded(import_sources({&first, &second}, kPruneFile)));
  EXPECT_EQ(item("new"), "New/shelf 2001-01-01 2026-03-14 0");
}

TEST_F(ImportPrune, RemovesCategoriesThatNoSourceNamesAndNoItemUses) {
  ASSERT_TRUE(succeeded(import({ItemLine{.id = "a"}, ItemLine{.id = "b"}, CategoryLine{.id = "new"}}, kPrune)));
  EXPECT_EQ(categories(), "new=new(0) shelf=shelf(2)");
  EXPECT_EQ(report_.categories, 3u) << "one created, two removed";
}

TEST_F(ImportPrune, KeepsACategoryThatASourceNames) {
  ASSERT_TRUE(succeeded(import({ItemLine{.id = "a"}, ItemLine{.id = "b"}, CategoryLine{.id = "box"}}, kPrune)));
  EXPECT_EQ(categories(), "box=box(0) shelf=shelf(2)");
}

TEST_F(ImportPrune, RemovesACategoryThatLosesItsLastItem) {
  ASSERT_TRUE(
      succeeded(import({ItemLine{.id = "a"}, ItemLine{.id = "b"}, ItemLine{.id = "c"}, ItemLine{.id = "d"}}, kPrune)));
  EXPECT_EQ(categories(), "shelf=shelf(4)");
}

TEST_F(ImportPrune, RemovesUpToHalfOfTheItems) {
  ASSERT_TRUE(succeeded(import({ItemLine{.id = "a"}, ItemLine{.id = "b"}}, kPrune)));
  EXPECT_EQ(item_count(), 2u);
}

TEST_F(ImportPrune, ChangesNothingIfItWouldRemoveMoreThanHalf) {
  const model::Revision before = revision();
  const auto imported =
      import({ItemLine{.id = "a", .title = "New"}, ItemLine{.id = "new"}, ItemLine{.id = "newer"}}, kPrune);
  ASSERT_TRUE(failed(imported, ErrorCode::InvalidArgument, "prune_limit"));
  EXPECT_NE(imported.error().message.find("3 of 4 items"), std::string::npos) << imported.error().message;
  EXPECT_EQ(revision(), before);
  EXPECT_EQ(item("a"), "Title/shelf 2026-03-14 2026-03-14 0");
  EXPECT_EQ(item("new"), "none");
  EXPECT_TRUE(events_.batches.empty());
  EXPECT_EQ(report_.added + report_.changed + report_.removed, 0u);
}

TEST_F(ImportPrune, RemovesEverythingIfTheLimitAllowsIt) {
  ASSERT_TRUE(succeeded(import({ItemLine{.id = "new"}}, {.prune = true, .prune_limit_percent = 100})));
  EXPECT_EQ(item_count(), 1u);
  EXPECT_EQ(report_.removed, 4u);
}

TEST_F(ImportPrune, AnImportWithoutItemsRemovesNothing) {
  ASSERT_TRUE(succeeded(import({ItemLine{.id = "other"}, ItemLine{.id = "another"}, ItemLine{.id = "third"},
                                ItemLine{.id = "fourth"}, ItemLine{.id = "fifth"}},
                               {.source = "other"})));
  EXPECT_TRUE(failed(import({}, kPruneFile), ErrorCode::InvalidArgument, "prune_limit"))
      << "although four of nine items are within the limit";
  EXPECT_EQ(item_count(), 9u);
  EXPECT_TRUE(succeeded(import({}, {.prune = true, .prune_limit_percent = 100, .source = "file"})));
  EXPECT_EQ(item_count(), 5u);
}

TEST_F(ImportPrune, AppliesALowerLimit) {
  EXPECT_FALSE(import({ItemLine{.id = "a"}, ItemLine{.id = "b"}, ItemLine{.id = "c"}},
                      {.prune = true, .prune_limit_percent = 24}));
  EXPECT_TRUE(import({ItemLine{.id = "a"}, ItemLine{.id = "b"}, ItemLine{.id = "c"}},
                     {.prune = true, .prune_limit_percent = 25}));
}

TEST_F(ImportPrune, RemovesNothingIfARecordWasRejected) {
  ASSERT_TRUE(succeeded(
      import({ItemLine{.id = "a", .title = "New"}, ItemLine{.id = "b"}, ItemLine{.id = "c"}, BadLine{"not JSON", "x"}},
             {.on_error = OnError::Skip, .prune = true})));
  EXPECT_EQ(item_count(), 4u);
  EXPECT_EQ(report_.removed, 0u);
  EXPECT_EQ(item("a"), "New/shelf 2026-03-14 2026-03-14 0") << "the rest is kept";
  EXPECT_EQ(categories(), "box=box(1) empty=empty(0) shelf=shelf(3)");
}

TEST_F(ImportPrune, RemovesNothingIfASourceIsUnreadable) {
  ListedSource first("first", {ItemLine{.id = "a"}, ItemLine{.id = "b"}, ItemLine{.id = "new"}});
  ListedSource second("second");
  second.end = invalid_argument({}, "second: no such file");
  ASSERT_TRUE(succeeded(import_sources({&first, &second}, {.on_error = OnError::Skip, .prune = true})));
  EXPECT_EQ(item_count(), 5u);
  EXPECT_EQ(report_.removed, 0u);
}

TEST_F(ImportPrune, CommitsNothingIfAnySourceFails) {
  const model::Revision before = revision();
  ListedSource first("first", {ItemLine{.id = "new"}});
  ListedSource second("second", {BadLine{"not JSON", "x"}});
  EXPECT_FALSE(import_sources({&first, &second}, kPruneFile));
  EXPECT_EQ(revision(), before);
}

TEST_F(ImportPrune, TreatsAnItemOfADeleteLineAsRemoved) {
  ASSERT_TRUE(succeeded(import(
      {ItemLine{.id = "a"}, ItemLine{.id = "b"}, ItemLine{.id = "c"}, ItemLine{.id = "d"}, DeleteLine{"a"}}, kPrune)));
  EXPECT_EQ(item("a"), "none");
  EXPECT_EQ(report_.removed, 1u);
}

TEST_F(ImportPrune, KeepsAnItemWhoseDeleteLineComesFirst) {
  ASSERT_TRUE(succeeded(import(
      {DeleteLine{"a"}, ItemLine{.id = "a"}, ItemLine{.id = "b"}, ItemLine{.id = "c"}, ItemLine{.id = "d"}}, kPrune)));
  EXPECT_EQ(item_count(), 4u);
}

TEST_F(ImportPrune, ChangesNothingWhenRepeated) {
  const Lines lines = {ItemLine{.id = "a"}, ItemLine{.id = "b"}, CategoryLine{.id = "box"}};
  ASSERT_TRUE(succeeded(import(lines, kPrune)));
  const model::Revision before = revision();
  ASSERT_TRUE(succeeded(import(lines, kPrune)));
  EXPECT_EQ(revision(), before);
}

class ImportDryRun : public ImportPrune {};

TEST_F(ImportDryRun, ReportsAndChangesNothing) {
  const model::Revision before = revision();
  ASSERT_TRUE(succeeded(
      import({ItemLine{.id = "a"}, ItemLine{.id = "b", .title = "New"}, ItemLine{.id = "new", .category = "attic"},
              DeleteLine{"c"}, ActivityLine{"a", {{day("2026-03-01"), 3}}}},
             {.dry_run = true})));
  EXPECT_EQ(report_.unchanged, 1u);
  EXPECT_EQ(report_.changed, 1u);
  EXPECT_EQ(report_.added, 1u);
  EXPECT_EQ(report_.removed, 1u);
  EXPECT_EQ(report_.categories, 1u);
  EXPECT_EQ(report_.activity, 1u);
  EXPECT_EQ(revision(), before);
  EXPECT_EQ(activity(), Strings{});
  EXPECT_TRUE(events_.batches.empty());
}

TEST_F(ImportDryRun, ReportsAPrune) {
  ASSERT_TRUE(succeeded(import({ItemLine{.id = "a"}, ItemLine{.id = "b"}}, {.dry_run = true, .prune = true})));
  EXPECT_EQ(report_.removed, 2u);
  EXPECT_EQ(item_count(), 4u);
  EXPECT_TRUE(failed(import({ItemLine{.id = "a"}}, {.dry_run = true, .prune = true}), ErrorCode::InvalidArgument,
                     "prune_limit"));
}

TEST_F(ImportDryRun, ReportsRejects) {
  ASSERT_TRUE(succeeded(
      import({BadLine{"not JSON", "x"}, ItemLine{.id = "new"}}, {.on_error = OnError::Skip, .dry_run = true})));
  EXPECT_EQ(report_.rejected, 1u);
  EXPECT_EQ(report_.added, 1u);
  EXPECT_EQ(events_.rejects, Strings{"file:1 not JSON <x>"});
  EXPECT_FALSE(import({BadLine{"not JSON", "x"}}, {.dry_run = true}));
}

TEST_F(ImportDryRun, ReportsEachSourceAsIfThePreviousOnesWereCommitted) {
  ListedSource first("first", {ItemLine{.id = "new"}}),
      second("second", {ItemLine{.id = "new"}, ItemLine{.id = "newer"}});
  ASSERT_TRUE(succeeded(import_sources({&first, &second}, {.dry_run = true, .source = "file"})));
  EXPECT_EQ(report_.added, 2u);
  EXPECT_EQ(report_.unchanged, 1u);
  EXPECT_EQ(item_count(), 4u);
}

TEST_F(ImportDryRun, ReportsMoreRecordsThanOneBatch) {
  ListedSource source("file");
  for (int i = 0; i < 1001; ++i) source.add(ItemLine{.id = "item" + std::to_string(i)});
  ASSERT_TRUE(succeeded(import_sources({&source}, {.on_error = OnError::Skip, .dry_run = true})));
  EXPECT_EQ(report_.added, 1001u);
  EXPECT_EQ(item_count(), 4u);
}

}  // namespace
}  // namespace kbase::tests
