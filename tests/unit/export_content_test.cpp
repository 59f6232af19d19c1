// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "domain/model/item.hpp"
#include "tests/support/mocks/driven/activity_store.hpp"
#include "tests/support/mocks/driven/content_source.hpp"
#include "tests/support/mocks/driven/item_store.hpp"
#include "tests/support/plain_markup.hpp"
#include "tests/unit/import_fixture.hpp"

namespace kbase::tests {
namespace {
using trompeloeil::_;
using Strings = std::vector<std::string>;

/// Keeps the exported records as lines that can be imported again.
class ListingSink final : public ports::ContentSink {
 public:
  Status put(const model::CategoryView& category) override {
    texts.push_back("category " + std::string(category.id));
    lines.push_back(CategoryLine{std::string(category.id),
                                 std::string(category.name),
                                 std::string(category.description),
                                 std::string(category.icon),
                                 {category.subcategories.begin(), category.subcategories.end()}});
    return {};
  }
  Status put(const model::ItemView& item) override {
    texts.push_back("item " + std::string(item.id));
    const model::MetadataView& metadata = item.metadata;
    lines.push_back(ItemLine{std::string(item.id),
                             std::string(item.category),
                             std::string(item.title),
                             std::string(item.content),
                             std::string(metadata.author),
                             std::string(metadata.extra),
                             {item.tags.begin(), item.tags.end()},
                             {item.related.begin(), item.related.end()},
                             metadata.created,
                             metadata.updated,
                             metadata.views});
    return {};
  }
  Status put(const ports::ActivityRecord& activity) override {
    std::string text = "activity " + std::string(activity.item);
    for (const ports::DayViews& day : activity.days)
      text += ' ' + model::format_day(day.day) + ':' + std::to_string(day.views);
    texts.push_back(std::move(text));
    lines.push_back(ActivityLine{std::string(activity.item), {activity.days.begin(), activity.days.end()}});
    return {};
  }
  Status put(const model::SynonymsView& synonyms) override {
    const model::Synonyms copy(synonyms);
    texts.push_back("synonyms of " + copy.key().word);
    lines.push_back(SynonymsLine{copy.from, copy.words, copy.source});
    return {};
  }
  Status finish() override {
    texts.push_back("finish");
    return {};
  }

  Strings texts;
  std::vector<ListedSource::Line> lines;
};

class ExportContent : public ImportFixture {};

TEST_F(ExportContent, WritesEveryRecordInTheOrderOfItsLastChange) {
  ASSERT_TRUE(succeeded(import({ItemLine{.id = "b"}, ItemLine{.id = "a"}, ItemLine{.id = "gone"}})));
  ASSERT_TRUE(succeeded(import({CategoryLine{.id = "shelf", .name = "S"}, ItemLine{.id = "b", .title = "B"}})));
  ASSERT_TRUE(succeeded(import({DeleteLine{"gone"}})));
  ListingSink sink;
  ASSERT_TRUE(succeeded(transfer_.export_to(call_, sink)));
  EXPECT_EQ(sink.texts, (Strings{"item a", "category shelf", "item b", "finish"}));
}

TEST_F(ExportContent, WritesTheDaysOfEachViewedItemInOneLine) {
  ASSERT_TRUE(succeeded(import({ActivityLine{"b", {{day("2026-03-02"), 5}}},
                                ActivityLine{"a", {{day("2026-03-03"), 7}, {day("2026-03-01"), 2}}},
                                ActivityLine{"c", {{day("2026-03-02"), 1}, {day("2026-03-03"), 1}}}})));
  ListingSink sink;
  ASSERT_TRUE(succeeded(transfer_.export_to(call_, sink)));
  EXPECT_EQ(sink.texts, (Strings{"activity a 2026-03-01:2 2026-03-03:7", "activity b 2026-03-02:5",
                                 "activity c 2026-03-02:1 2026-03-03:1", "finish"}));
}

TEST_F(ExportContent, FinishesAnEmptyExport) {
  ListingSink sink;
  ASSERT_TRUE(succeeded(transfer_.export_to(call_, sink)));
  EXPECT_EQ(sink.texts, Strings{"finish"});
}

TEST_F(ExportContent, IsImportedIntoAnIdenticalStore) {
  ASSERT_TRUE(succeeded(
      import({CategoryLine{.id = "box", .name = "Box", .description = "D", .icon = "📦", .subcategories = {"shelf"}},
              ItemLine{.id = "a",
                       .category = "box",
                       .title = "T",
                       .content = "One\ntwo",
                       .author = "Ann",
                       .extra = "{\"x\":1}",
                       .tags = {"t1", "t2"},
                       .related = {"b"},
                       .created = day("2020-01-02"),
                       .updated = day("2021-03-04"),
                       .views = 42},
              ItemLine{.id = "b"}, ItemLine{.id = "c"}, CategoryLine{.id = "shelf", .name = "Late"},
              ActivityLine{"a", {{day("2026-03-01"), 3}}}, ActivityLine{"gone", {{day("2026-03-01"), 1}}}})));
  ListingSink first;
  ASSERT_TRUE(succeeded(transfer_.export_to(call_, first)));

  memory::MemoryItemStore items(random_, clock_);
  memory::MemoryActivityStore activity;
  clock_.advance(std::chrono::hours(48));
  usecases::TransferContent other(items, activity, kPlainMarkup, clock_);
  ListedSource exported("export", first.lines);
  ports::ContentSource* const sources[] = {&exported};
  ASSERT_TRUE(succeeded(other.import(call_, sources, {.source = "file"}, events_, report_)));
  EXPECT_EQ(events_.duplicates, Strings{});

  std::vector<model::Item> before, after;
  std::vector<model::Category> categories_before, categories_after;
  const auto gather = [this](ports::ItemStore& store, auto& found, auto& named) {
    ASSERT_TRUE(succeeded(store.changes(call_, 0, [&](const ports::Change& change) {
      if (change.item != nullptr) found.emplace_back(*change.item);
      if (change.category != nullptr) named.emplace_back(*change.category);
      return Visit::Continue;
    })));
  };
  gather(items_, before, categories_before);
  gather(items, after, categories_after);
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_TRUE(same_content(before[i].view(), after[i].view())) << i;
  ASSERT_EQ(categories_before.size(), categories_after.size());
  for (std::size_t i = 0; i < categories_before.size(); ++i)
    EXPECT_TRUE(same_content(categories_before[i].view(), categories_after[i].view())) << i;
  ListingSink second;
  ASSERT_TRUE(succeeded(other.export_to(call_, second)));
  EXPECT_EQ(Strings(second.texts.end() - 3, second.texts.end()), Strings(first.texts.end() - 3, first.texts.end()));
}

TEST_F(ExportContent, StopsAtTheFirstRecordThatCannotBeWritten) {
  ASSERT_TRUE(succeeded(import({ItemLine{.id = "a"}, ItemLine{.id = "b"}})));
  MockContentSink sink;
  ALLOW_CALL(sink, put(ANY(const model::CategoryView&))).RETURN(Status());
  REQUIRE_CALL(sink, put(ANY(const model::ItemView&))).RETURN(error_of(ErrorCode::Unavailable));
  EXPECT_TRUE(failed(transfer_.export_to(call_, sink), ErrorCode::Unavailable));
}

TEST_F(ExportContent, StopsAtTheFirstActivityThatCannotBeWritten) {
  ASSERT_TRUE(
      succeeded(import({ActivityLine{"a", {{day("2026-03-01"), 3}}}, ActivityLine{"b", {{day("2026-03-01"), 3}}}})));
  MockContentSink sink;
  REQUIRE_CALL(sink, put(ANY(const ports::ActivityRecord&)))
      .WITH(_1.item == "a")
      .RETURN(error_of(ErrorCode::Unavailable));
  EXPECT_TRUE(failed(transfer_.export_to(call_, sink), ErrorCode::Unavailable));
}

TEST_F(ExportContent, DoesNotFinishAfterAWriteErrorInTheLastLine) {
  ASSERT_TRUE(succeeded(import({ActivityLine{"a", {{day("2026-03-01"), 3}}}})));
  MockContentSink sink;
  REQUIRE_CALL(sink, put(ANY(const ports::ActivityRecord&))).RETURN(error_of(ErrorCode::Unavailable));
  EXPECT_TRUE(failed(transfer_.export_to(call_, sink), ErrorCode::Unavailable));
}

TEST_F(ExportContent, ReturnsTheErrorsOfTheStores) {
  MockItemStore items;
  ALLOW_CALL(items, capabilities()).RETURN(ports::ItemStore::Capabilities{});
  MockActivityStore activity;
  MockContentSink sink;
  usecases::TransferContent transfer(items, activity, kPlainMarkup, clock_);
  {
    REQUIRE_CALL(items, changes(_, 0u, _)).RETURN(error_of(ErrorCode::Corrupt));
    EXPECT_TRUE(failed(transfer.export_to(call_, sink), ErrorCode::Corrupt));
  }
  ALLOW_CALL(items, changes(_, 0u, _)).RETURN(model::Revision{0});
  {
    REQUIRE_CALL(activity, days(_, _)).RETURN(error_of(ErrorCode::Unavailable));
    EXPECT_TRUE(failed(transfer.export_to(call_, sink), ErrorCode::Unavailable));
  }
  ALLOW_CALL(activity, days(_, _)).RETURN(Status());
  REQUIRE_CALL(sink, finish()).RETURN(error_of(ErrorCode::Unavailable));
  EXPECT_TRUE(failed(transfer.export_to(call_, sink), ErrorCode::Unavailable));
}

class RemoveItems : public ImportFixture {
 protected:
  Result<std::uint64_t> remove(const std::vector<std::string_view>& ids) {
    missing_.clear();
    return transfer_.remove(call_, ids, [&](std::string_view id) {
      missing_.emplace_back(id);
      return Visit::Continue;
    });
  }

  Strings missing_;
};

TEST_F(RemoveItems, RemovesExistingItemsAndNamesMissingOnes) {
  ASSERT_TRUE(succeeded(import({ItemLine{.id = "a"}, ItemLine{.id = "b"}, ItemLine{.id = "c"}})));
  const auto removed = remove({"a", "x", "c", "y"});
  ASSERT_TRUE(succeeded(removed));
  EXPECT_EQ(*removed, 2u);
  EXPECT_EQ(missing_, (Strings{"x", "y"}));
  EXPECT_EQ(item("a"), "none");
  EXPECT_EQ(item_count(), 1u);
}

TEST_F(RemoveItems, ChangesNothingIfNoItemExists) {
  const model::Revision before = revision();
  const auto removed = remove({"x"});
  ASSERT_TRUE(succeeded(removed));
  EXPECT_EQ(*removed, 0u);
  EXPECT_EQ(revision(), before);
}

TEST_F(RemoveItems, FailsIfTheBatchCannotBeCommitted) {
  MockItemStore items;
  auto writer = std::make_unique<MockItemWriter>();
  REQUIRE_CALL(*writer, remove(_, "a")).RETURN(true);
  REQUIRE_CALL(*writer, commit(_)).RETURN(error_of(ErrorCode::Unavailable));
  REQUIRE_CALL(items, begin(_)).LR_RETURN(std::unique_ptr<ports::ItemWriter>(std::move(writer)));
  usecases::TransferContent transfer(items, activity_, kPlainMarkup, clock_);
  const std::string_view ids[] = {"a"};
  EXPECT_TRUE(
      failed(transfer.remove(call_, ids, [](std::string_view) { return Visit::Continue; }), ErrorCode::Unavailable));
}

}  // namespace
}  // namespace kbase::tests
