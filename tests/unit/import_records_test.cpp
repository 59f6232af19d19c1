// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "domain/usecases/import_batch.hpp"
#include "tests/unit/import_fixture.hpp"

namespace kbase::tests {
namespace {

using namespace std::chrono_literals;
using Strings = std::vector<std::string>;

class ImportRecords : public ImportFixture {};

TEST_F(ImportRecords, SetTheDefaultsOfAnItem) {
  ASSERT_TRUE(succeeded(import({ItemLine{.id = "a", .title = ""}})));
  bool found = false;
  ASSERT_TRUE(succeeded(items_.get(call_, "a", [&](const model::ItemView& item) {
    found = true;
    EXPECT_EQ(item.title, "");
    EXPECT_EQ(item.content, "");
    EXPECT_EQ(item.excerpt, "");
    EXPECT_TRUE(item.tags.empty());
    EXPECT_TRUE(item.related.empty());
    EXPECT_EQ(item.metadata.author, "");
    EXPECT_EQ(item.metadata.views, 0u);
    EXPECT_EQ(item.metadata.created, day("2026-03-14"));
    EXPECT_EQ(item.metadata.updated, day("2026-03-14"));
    EXPECT_EQ(item.metadata.extra, "");
    return Visit::Continue;
  })));
  EXPECT_TRUE(found);
}

TEST_F(ImportRecords, KeepAllMembersOfAnItem) {
  ASSERT_TRUE(succeeded(import({ItemLine{.id = "a",
                                         .category = "box",
                                         .title = "T",
                                         .content = "One\n\ntwo",
                                         .author = "Ann",
                                         .extra = "{\"x\":1}",
                                         .tags = {"t1", "t2"},
                                         .related = {"b"},
                                         .created = day("2020-01-02"),
                                         .updated = day("2021-03-04"),
                                         .views = 42}})));
  EXPECT_EQ(item("a"), "T/box 2020-01-02 2021-03-04 42");
  ASSERT_TRUE(succeeded(items_.get(call_, "a", [&](const model::ItemView& item) {
    EXPECT_EQ(item.content, "One\n\ntwo");
    EXPECT_EQ(item.excerpt, "One two");
    EXPECT_EQ(item.metadata.author, "Ann");
    EXPECT_EQ(item.metadata.extra, "{\"x\":1}");
    EXPECT_EQ(Strings(item.tags.begin(), item.tags.end()), (Strings{"t1", "t2"}));
    EXPECT_EQ(Strings(item.related.begin(), item.related.end()), Strings{"b"});
    return Visit::Continue;
  })));
}

TEST_F(ImportRecords, SetTheUpdateDateOfAnAddedItemToItsCreationDate) {
  ASSERT_TRUE(succeeded(import({ItemLine{.id = "a", .created = day("2020-01-02")}})));
  EXPECT_EQ(item("a"), "Title/shelf 2020-01-02 2020-01-02 0");
}

TEST_F(ImportRecords, SetTheCreationDateOfAnAddedItemToTheImportDate) {
  ASSERT_TRUE(succeeded(import({ItemLine{.id = "a", .updated = day("2020-01-02")}})));
  EXPECT_EQ(item("a"), "Title/shelf 2026-03-14 2020-01-02 0");
}

TEST_F(ImportRecords, ChangeNothingIfNothingChanged) {
  const Lines lines = {ItemLine{.id = "a", .content = "text", .tags = {"t"}}, CategoryLine{.id = "shelf", .name = "S"},
                       ActivityLine{"a", {{day("2026-03-01"), 3}}}};
  ASSERT_TRUE(succeeded(import(lines)));
  const model::Revision before = revision();
  const model::ViewsRevision views_before = *activity_.revision(call_);
  clock_.advance(48h);
  ASSERT_TRUE(succeeded(import(lines)));
  EXPECT_EQ(revision(), before);
  EXPECT_EQ(*activity_.revision(call_), views_before);
  EXPECT_EQ(report_.unchanged, 1u);
  EXPECT_EQ(report_.added + report_.changed + report_.categories + report_.removed, 0u);
  EXPECT_EQ(item("a"), "Title/shelf 2026-03-14 2026-03-14 0");
}

TEST_F(ImportRecords, SetTheUpdateDateOfAChangedItemAndKeepItsCreationDate) {
  ASSERT_TRUE(succeeded(import({ItemLine{.id = "a", .created = day("2020-01-02"), .updated = day("2020-01-03")}})));
  clock_.advance(24h);
  ASSERT_TRUE(succeeded(import({ItemLine{.id = "a", .title = "New"}})));
  EXPECT_EQ(item("a"), "New/shelf 2020-01-02 2026-03-15 0");
  EXPECT_EQ(report_.changed, 1u);
}

TEST_F(ImportRecords, UseTheDatesOfAChangedItem) {
  ASSERT_TRUE(succeeded(import({ItemLine{.id = "a"}})));
  ASSERT_TRUE(succeeded(
      import({ItemLine{.id = "a", .title = "New", .created = day("2019-01-01"), .updated = day("2019-01-02")}})));
  EXPECT_EQ(item("a"), "New/shelf 2019-01-01 2019-01-02 0");
}

TEST_F(ImportRecords, CountAChangedDateAsAChange) {
  ASSERT_TRUE(succeeded(import({ItemLine{.id = "a"}})));
  ASSERT_TRUE(succeeded(import({ItemLine{.id = "a", .updated = day("2027-01-01")}})));
  EXPECT_EQ(report_.changed, 1u);
  EXPECT_EQ(item("a"), "Title/shelf 2026-03-14 2027-01-01 0");
}

TEST_F(ImportRecords, TreatAbsentViewsAsZero) {
  ASSERT_TRUE(succeeded(import({ItemLine{.id = "a", .views = 9}})));
  ASSERT_TRUE(succeeded(import({ItemLine{.id = "a"}})));
  EXPECT_EQ(item("a"), "Title/shelf 2026-03-14 2026-03-14 0");
}

TEST_F(ImportRecords, ReportAddedChangedAndUnchangedItems) {
  ASSERT_TRUE(succeeded(import({ItemLine{.id = "a"}, ItemLine{.id = "b"}})));
  EXPECT_EQ(report_.added, 2u);
  EXPECT_EQ(report_.categories, 1u);
  EXPECT_EQ(report_.revision, revision());
  ASSERT_TRUE(succeeded(import({ItemLine{.id = "a"}, ItemLine{.id = "b", .title = "B"}, ItemLine{.id = "c"}})));
  EXPECT_EQ(report_.unchanged, 1u);
  EXPECT_EQ(report_.changed, 1u);
  EXPECT_EQ(report_.added, 1u);
  EXPECT_EQ(report_.categories, 0u);
  EXPECT_EQ(report_.revision, revision());
}

TEST_F(ImportRecords, KeepTheLastOfSeveralLinesWithOneIdAndReportIt) {
  ASSERT_TRUE(succeeded(import({ItemLine{.id = "a", .title = "1", .created = day("2001-01-01"), .views = 5},
                                ItemLine{.id = "b"}, ItemLine{.id = "a", .category = "box", .title = "2"},
                                ItemLine{.id = "a", .category = "box", .title = "3"}})));
  EXPECT_EQ(item("a"), "3/box 2026-03-14 2026-03-14 0");
  EXPECT_EQ(events_.duplicates, (Strings{"file:3 a", "file:4 a"}));
  EXPECT_EQ(report_.added, 2u);
}

TEST_F(ImportRecords, ReportDuplicatesThatAreFarApart) {
  ListedSource source("file");
  for (int i = 0; i < 600; ++i) source.add(ItemLine{.id = "item" + std::to_string(i)});
  source.add(ItemLine{.id = "item0", .title = "last"});
  ASSERT_TRUE(succeeded(import_sources({&source})));
  EXPECT_EQ(events_.duplicates, Strings{"file:601 item0"});
  EXPECT_EQ(item("item0"), "last/shelf 2026-03-14 2026-03-14 0");
  EXPECT_EQ(item_count(), 600u);
}

TEST_F(ImportRecords, ReportNoDuplicateAcrossSources) {
  ListedSource first("first", {ItemLine{.id = "a", .title = "1"}, CategoryLine{.id = "shelf", .name = "1"}});
  ListedSource second("second", {ItemLine{.id = "a", .title = "2"}, CategoryLine{.id = "shelf", .name = "2"}});
  for (const bool prune : {false, true}) {
    ASSERT_TRUE(succeeded(import_sources({&first, &second}, {.prune = prune, .source = "both"})));
    EXPECT_EQ(events_.duplicates, Strings{});
    EXPECT_EQ(item("a"), "2/shelf 2026-03-14 2026-03-14 0");
    EXPECT_EQ(categories(), "shelf=2(1)");
  }
}

TEST_F(ImportRecords, ReportADuplicateCategoryLine) {
  ASSERT_TRUE(succeeded(import({ItemLine{.id = "a"}, CategoryLine{.id = "shelf", .name = "1"}, ItemLine{.id = "b"},
                                CategoryLine{.id = "shelf", .name = "2"}})));
  EXPECT_EQ(events_.duplicates, Strings{"file:4 shelf"});
  EXPECT_EQ(categories(), "shelf=2(2)");
}

TEST_F(ImportRecords, CreateACategoryNamedByItsIdIfOnlyItemsNameIt) {
  ASSERT_TRUE(succeeded(import({ItemLine{.id = "a", .category = "box"}, ItemLine{.id = "b", .category = "attic"}})));
  EXPECT_EQ(categories(), "attic=attic(1) box=box(1)");
  EXPECT_EQ(report_.categories, 2u);
}

TEST_F(ImportRecords, KeepAStoredCategoryThatItemsName) {
  ASSERT_TRUE(succeeded(import({CategoryLine{.id = "shelf", .name = "The Shelf"}})));
  ASSERT_TRUE(succeeded(import({ItemLine{.id = "a"}})));
  EXPECT_EQ(categories(), "shelf=The Shelf(1)");
  EXPECT_EQ(report_.categories, 0u);
}

TEST_F(ImportRecords, AcceptACategoryLineAtAnyPosition) {
  ASSERT_TRUE(succeeded(import({ItemLine{.id = "a"}, CategoryLine{.id = "shelf", .name = "The Shelf"}})));
  EXPECT_EQ(categories(), "shelf=The Shelf(1)");
  ASSERT_TRUE(
      succeeded(import({CategoryLine{.id = "box", .name = "The Box"}, ItemLine{.id = "b", .category = "box"}})));
  EXPECT_EQ(categories(), "box=The Box(1) shelf=The Shelf(1)");
}

TEST_F(ImportRecords, AcceptACategoryLineFarAfterItsItems) {
  ListedSource source("file");
  for (int i = 0; i < 600; ++i) source.add(ItemLine{.id = "item" + std::to_string(i)});
  source.add(CategoryLine{.id = "shelf", .name = "The Shelf"});
  ASSERT_TRUE(succeeded(import_sources({&source})));
  EXPECT_EQ(categories(), "shelf=The Shelf(600)");
  EXPECT_EQ(events_.duplicates, Strings{});
}

TEST_F(ImportRecords, NameACategoryByItsIdIfItsLineHasNoName) {
  ASSERT_TRUE(succeeded(import({CategoryLine{.id = "shelf"}})));
  EXPECT_EQ(categories(), "shelf=shelf(0)");
}

TEST_F(ImportRecords, ReplaceAnEntireStoredCategory) {
  ASSERT_TRUE(succeeded(import(
      {CategoryLine{.id = "shelf", .name = "S", .description = "D", .icon = "I", .subcategories = {"x", "y"}}})));
  ASSERT_TRUE(succeeded(import({CategoryLine{.id = "shelf", .description = "E"}})));
  EXPECT_EQ(report_.categories, 1u);
  ASSERT_TRUE(succeeded(items_.category(call_, "shelf", [](const model::CategoryView& category) {
    EXPECT_EQ(category.name, "shelf");
    EXPECT_EQ(category.description, "E");
    EXPECT_EQ(category.icon, "");
    EXPECT_TRUE(category.subcategories.empty());
    return Visit::Continue;
  })));
}

TEST_F(ImportRecords, ApplyDeleteLinesInTheirOrder) {
  ASSERT_TRUE(succeeded(import({ItemLine{.id = "stored"}, ItemLine{.id = "back", .created = day("2001-01-01")}})));
  ASSERT_TRUE(succeeded(import({ItemLine{.id = "brief"}, DeleteLine{"brief"}, DeleteLine{"stored"}, DeleteLine{"back"},
                                ItemLine{.id = "back"}, DeleteLine{"never"}})));
  EXPECT_EQ(item("brief"), "none");
  EXPECT_EQ(item("stored"), "none");
  EXPECT_EQ(item("back"), "Title/shelf 2026-03-14 2026-03-14 0");
  EXPECT_EQ(report_.removed, 3u);
  EXPECT_EQ(events_.duplicates, Strings{});
}

TEST_F(ImportRecords, SetActivityInsteadOfAddingToIt) {
  const ports::ViewIncrement counted{"a", day("2026-03-10"), 100};
  ASSERT_TRUE(succeeded(activity_.add(call_, {}, 1, {&counted, 1})));
  const Lines lines = {ItemLine{.id = "a"}, ActivityLine{"a", {{day("2026-03-01"), 3}, {day("2026-03-02"), 4}}}};
  for (int time = 0; time < 2; ++time) {
    ASSERT_TRUE(succeeded(import(lines)));
    EXPECT_EQ(activity(), (Strings{"a 2026-03-01 3", "a 2026-03-02 4"}));
    EXPECT_EQ(report_.activity, 1u);
  }
}

}  // namespace
}  // namespace kbase::tests
