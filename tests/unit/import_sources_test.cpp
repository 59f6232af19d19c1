// SPDX-License-Identifier: Apache-2.0
// Items belong to the source that brought them.
#include <gtest/gtest.h>

#include "domain/usecases/page_ids.hpp"
#include "tests/unit/import_fixture.hpp"

namespace kbase::tests {
namespace {
using ports::OnError;
using Strings = std::vector<std::string>;

class ImportSources : public ImportFixture {
 protected:
  Status import_as(std::string source, Lines lines, ports::ImportOptions options = {}) {
    options.source = std::move(source);
    return import(std::move(lines), options);
  }

  std::string owner(std::string_view id) {
    std::string owner = "none";
    (void)items_.get(call_, id, [&](const model::ItemView& found) {
      owner = found.source;
      return Visit::Continue;
    });
    return owner;
  }

  /// Stores an item as kbase 1.0 did: without a source.
  void store_unowned(std::string_view id) {
    model::CategoryView category;
    category.id = category.name = "shelf";
    model::ItemView item;
    item.id = id;
    item.title = "Title";
    item.category = "shelf";
    item.metadata.created = item.metadata.updated = day("2020-01-01");
    auto writer = items_.begin(call_);
    const std::array<const model::ItemView*, 1> items{&item};
    ASSERT_TRUE(succeeded((*writer)->put_category(call_, category)));
    ASSERT_TRUE(succeeded((*writer)->put(call_, items)));
    ASSERT_TRUE(succeeded((*writer)->commit(call_)));
  }
};

TEST_F(ImportSources, OwnWhatTheyBring) {
  ListedSource source("docs", {ItemLine{.id = "a"}});
  ASSERT_TRUE(succeeded(import_sources({&source})));
  EXPECT_EQ(owner("a"), "docs");
  ASSERT_TRUE(succeeded(import_as("other", {ItemLine{.id = "b"}})));
  EXPECT_EQ(owner("b"), "other");
}

TEST_F(ImportSources, OverwriteNothingOfEachOther) {
  ASSERT_TRUE(succeeded(import_as("one", {ItemLine{.id = "a"}})));
  const auto imported = import_as("two", {ItemLine{.id = "b"}, ItemLine{.id = "a", .title = "New"}});
  ASSERT_TRUE(failed(imported, ErrorCode::InvalidArgument));
  EXPECT_NE(imported.error().message.find("the item 'a' belongs to the source 'one', and this is the source 'two'; "
                                          "replace it with --take-over"),
            std::string::npos)
      << imported.error().message;
  EXPECT_EQ(item("a"), "Title/shelf 2026-03-14 2026-03-14 0");
  EXPECT_EQ(item("b"), "none");
}

TEST_F(ImportSources, SkipOnlyTheItemsOfOthers) {
  ASSERT_TRUE(succeeded(import_as("one", {ItemLine{.id = "a"}})));
  ASSERT_TRUE(succeeded(
      import_as("two", {ItemLine{.id = "b"}, ItemLine{.id = "a", .title = "New"}}, {.on_error = OnError::Skip})));
  EXPECT_EQ(report_.rejected, 1u);
  EXPECT_EQ(report_.added, 1u);
  EXPECT_EQ(owner("a"), "one");
  ASSERT_EQ(events_.rejects.size(), 1u);
  EXPECT_TRUE(events_.rejects[0].starts_with("file:2 the item 'a' belongs to the source 'one'")) << events_.rejects[0];
}

TEST_F(ImportSources, TakeOverItemsOnRequest) {
  ASSERT_TRUE(succeeded(import_as("one", {ItemLine{.id = "a"}})));
  ASSERT_TRUE(succeeded(import_as("two", {ItemLine{.id = "a"}}, {.take_over = true})));
  EXPECT_EQ(owner("a"), "two");
  EXPECT_EQ(report_.changed, 1u);
}

TEST_F(ImportSources, PruneOnlyTheirOwnItems) {
  ASSERT_TRUE(succeeded(import_as("one", {ItemLine{.id = "a"}, ItemLine{.id = "b", .category = "box"}})));
  ASSERT_TRUE(succeeded(import_as("two", {ItemLine{.id = "c"}, ItemLine{.id = "d"}, ItemLine{.id = "e"}})));
  ASSERT_TRUE(succeeded(import_as("one", {ItemLine{.id = "a"}}, {.prune = true})));
  EXPECT_EQ(report_.removed, 1u);
  EXPECT_EQ(item("b"), "none");
  EXPECT_EQ(item_count(), 4u);
  EXPECT_EQ(categories(), "shelf=shelf(4)");
}

TEST_F(ImportSources, CountTheItemsThatTheyNoLongerHave) {
  ASSERT_TRUE(succeeded(import_as("one", {ItemLine{.id = "a"}, ItemLine{.id = "b"}})));
  EXPECT_EQ(report_.missing, 0u);
  ASSERT_TRUE(succeeded(import_as("two", {ItemLine{.id = "c"}})));
  EXPECT_EQ(report_.missing, 0u);
  ASSERT_TRUE(succeeded(import_as("one", {ItemLine{.id = "a"}})));
  EXPECT_EQ(report_.missing, 1u);
}

TEST_F(ImportSources, AdoptItemsOfKbase1WithoutAChange) {
  store_unowned("a");
  ASSERT_TRUE(succeeded(import_as("docs", {ItemLine{.id = "a"}})));
  EXPECT_EQ(report_.unchanged, 1u);
  EXPECT_EQ(report_.changed, 0u);
  EXPECT_EQ(owner("a"), "docs");
  EXPECT_EQ(item("a"), "Title/shelf 2020-01-01 2020-01-01 0");
  const model::Revision adopted = revision();
  ASSERT_TRUE(succeeded(import_as("docs", {ItemLine{.id = "a"}})));
  EXPECT_EQ(revision(), adopted);
}

TEST_F(ImportSources, PruneItemsOfKbase1IfNoOtherSourceHasSome) {
  store_unowned("a");
  store_unowned("gone");
  ASSERT_TRUE(succeeded(import_as("docs", {ItemLine{.id = "a"}})));
  EXPECT_EQ(report_.missing, 1u);
  ASSERT_TRUE(succeeded(import_as("other", {ItemLine{.id = "o"}})));
  ASSERT_TRUE(succeeded(import_as("docs", {ItemLine{.id = "a"}}, {.prune = true})));
  EXPECT_NE(item("gone"), "none") << "it may belong to the other source";
  ASSERT_TRUE(succeeded(
      transfer_.remove(call_, std::vector<std::string_view>{"o"}, [](std::string_view) { return Visit::Continue; })));
  ASSERT_TRUE(succeeded(import_as("docs", {ItemLine{.id = "a"}}, {.prune = true})));
  EXPECT_EQ(item("gone"), "none");
}

/// A source with one page, which can be named by its path or by its name.
class PageSource final : public ports::ContentSource {
 public:
  std::string_view name() const override { return "docs"; }
  std::optional<double> progress() const override { return std::nullopt; }
  Status read(ports::Call&, Visitor<ports::ContentRecord>) override { return {}; }
  std::vector<ports::PageIds> page_ids() const override { return {{"guide/page", "page"}}; }
  void use_names_as_ids() override { uses_names = true; }

  bool uses_names = false;
};

class PageIds : public ImportSources {
 protected:
  /// Returns "path", "name", or the error.
  std::string chosen(ports::PageIdChoice choice = ports::PageIdChoice::AsBefore) {
    PageSource source;
    const auto done = usecases::choose_page_ids(call_, items_, source, "docs", choice);
    return !done ? done.error().message : source.uses_names ? "name" : "path";
  }
};

TEST_F(PageIds, AreByPathAtFirst) {
  EXPECT_EQ(chosen(), "path");
  EXPECT_EQ(chosen(ports::PageIdChoice::ByName), "name");
}

TEST_F(PageIds, StayAsTheyAreStored) {
  ASSERT_TRUE(succeeded(import_as("docs", {ItemLine{.id = "page"}})));
  EXPECT_EQ(chosen(), "name");
  EXPECT_EQ(chosen(ports::PageIdChoice::ByPath), "path");
  ASSERT_TRUE(succeeded(import_as("docs", {ItemLine{.id = "guide/page"}})));
  EXPECT_EQ(chosen(), "path");
}

TEST_F(PageIds, AreChosenOnceForABaseOfKbase1) {
  store_unowned("page");
  EXPECT_NE(chosen().find("1 page is stored under the name of the file"), std::string::npos) << chosen();
  EXPECT_EQ(chosen(ports::PageIdChoice::ByName), "name");
}

TEST_F(PageIds, OfAnotherSourceDecideNothing) {
  ASSERT_TRUE(succeeded(import_as("other", {ItemLine{.id = "page"}})));
  EXPECT_EQ(chosen(), "path");
}

}  // namespace
}  // namespace kbase::tests
