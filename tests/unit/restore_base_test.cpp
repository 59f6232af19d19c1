// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "domain/model/item.hpp"
#include "tests/support/mocks/driven/activity_store.hpp"
#include "tests/support/mocks/driven/api_key_store.hpp"
#include "tests/support/mocks/driven/item_store.hpp"
#include "tests/support/plain_markup.hpp"
#include "tests/unit/base_fixture.hpp"

namespace kbase::tests {
namespace {
using testing::HasSubstr;
using trompeloeil::_;
using Strings = std::vector<std::string>;

/// The content of a knowledge base, as a backup of it lists it.
Strings describe(Base& base) {
  MemoryBackup backup;
  EXPECT_TRUE(succeeded(base.back_up(backup)));
  return backup.describe();
}

/// The content without the journal records that a restore adds.
Strings describe_without_journals(Base& base) {
  Strings texts = describe(base);
  std::erase_if(texts, [](const std::string& text) { return text.starts_with("journal "); });
  return texts;
}

class RestoreBase : public testing::Test {
 protected:
  void SetUp() override {
    before_.fill();
    ASSERT_TRUE(succeeded(before_.back_up(backup_)));
  }

  bool is_without_content() { return conformance::revision_of(base_.items) == 0; }

  Base before_;
  Base base_;
  MemoryBackup backup_;
};

TEST_F(RestoreBase, RestoresAnIdenticalBase) {
  ASSERT_TRUE(succeeded(base_.restore(backup_)));
  EXPECT_EQ(describe(base_),
            (Strings{"key k1", "key k2", "usage configured 2026-03-02 1", "usage k1 2026-03-01 3",
                     "usage k1 2026-03-02 4", "journal 1 3", "journal 7 5", "viewed a 2026-03-01:1 2026-03-02:2",
                     "viewed gone 2026-03-01:9", "synonyms of k8s", "category shelf", "category box", "item a", "item b"}));
  for (const char* const id : {"k1", "k2"}) {
    const auto was = before_.keys.get(before_.call, id), is = base_.keys.get(base_.call, id);
    EXPECT_EQ((*was)->digest, (*is)->digest);
    EXPECT_EQ((*was)->created, (*is)->created);
    EXPECT_EQ((*was)->name, (*is)->name);
  }
}

TEST_F(RestoreBase, KeepsEveryMemberOfAnItemAndComputesItsExcerpt) {
  ASSERT_TRUE(succeeded(base_.restore(backup_)));
  std::vector<model::Item> was, is;
  for (auto [base, found] : {std::pair{&before_, &was}, std::pair{&base_, &is}})
    ASSERT_TRUE(succeeded(base->items.get(base->call, "b", [found = found](const model::ItemView& item) {
      found->emplace_back(item);
      return Visit::Continue;
    })));
  model::ItemView expected = was[0].view();
  const std::string excerpt = model::excerpt_of(expected.content);
  expected.excerpt = excerpt;
  EXPECT_EQ(conformance::difference(is[0].view(), expected), "");
}

TEST_F(RestoreBase, ContinuesCountingAtTheEndOfTheBackedUpJournals) {
  ASSERT_TRUE(succeeded(base_.restore(backup_)));
  base_.add_views(7, 5, {{"a", Base::day("2026-03-02"), 2}});  // this sequence number is in the backup
  base_.add_views(7, 6, {{"a", Base::day("2026-03-02"), 1}});  // this one is not in the backup
  EXPECT_THAT(describe_without_journals(base_), testing::Contains("viewed a 2026-03-01:1 2026-03-02:3"));
}

TEST_F(RestoreBase, AcceptsTheBackupOfAnEmptyBase) {
  Base empty;
  MemoryBackup nothing;
  ASSERT_TRUE(succeeded(empty.back_up(nothing)));
  EXPECT_TRUE(succeeded(base_.restore(nothing)));
  EXPECT_EQ(describe(base_), Strings{});
}

TEST_F(RestoreBase, RejectsABaseWithContent) {
  ASSERT_TRUE(succeeded(conformance::commit(base_.items, {{conformance::category_of("c")}, {}, {}, {}})));
  const auto refused = base_.restore(backup_);
  ASSERT_TRUE(failed(refused, ErrorCode::InvalidArgument));
  EXPECT_THAT(refused.error().message, HasSubstr("the base has 0 items and 1 categories"));
  EXPECT_THAT(refused.error().message, HasSubstr("choose another data_dir"));
  EXPECT_EQ(describe(base_), Strings{"category c"});
}

TEST_F(RestoreBase, RejectsABaseWithAnotherKey) {
  base_.add_key("k1");  // the same key as in the backup
  model::ApiKey changed = base_.add_key("k2");
  changed.plan = "premium";
  ASSERT_TRUE(succeeded(base_.keys.update(base_.call, changed)));
  const auto refused = base_.restore(backup_);
  ASSERT_TRUE(failed(refused, ErrorCode::InvalidArgument));
  EXPECT_THAT(refused.error().message, HasSubstr("the base has the key k2, which differs from this backup"));
  EXPECT_TRUE(is_without_content());
}

TEST_F(RestoreBase, RejectsABaseWithCountedViews) {
  base_.add_views(1, 1, {{"a", Base::day("2026-03-02"), 2}});  // a journal whose id only begins like the backup's
  const auto refused = base_.restore(backup_);
  ASSERT_TRUE(failed(refused, ErrorCode::InvalidArgument));
  EXPECT_THAT(refused.error().message, HasSubstr("the base has counted views"));
  EXPECT_TRUE(is_without_content());
}

TEST_F(RestoreBase, RejectsTheBackupOfAnotherInstanceUnlessItIsNamed) {
  Base other("recipes");
  const auto refused = other.restore(backup_);
  ASSERT_TRUE(failed(refused, ErrorCode::InvalidArgument, "instance"));
  EXPECT_THAT(refused.error().message,
              HasSubstr("kept: is a backup of the instance 'kbase', but this base is 'recipes'"));
  EXPECT_TRUE(failed(other.restore(backup_, "cellar"), ErrorCode::InvalidArgument, "instance"));
  EXPECT_EQ(describe(other), Strings{});
  EXPECT_TRUE(succeeded(other.restore(backup_, "kbase")));
}

TEST_F(RestoreBase, ChangesNothingBeforeTheWholeBackupIsVerified) {
  backup_.bad_reading = 1;
  EXPECT_TRUE(failed(base_.restore(backup_), ErrorCode::InvalidArgument));
  EXPECT_EQ(backup_.readings, 1);
  EXPECT_EQ(describe(base_), Strings{});
}

TEST_F(RestoreBase, OpensNoBaseForARejectedBackup) {
  int opened = 0;
  const auto restore_of = [&](std::string_view instance) {
    usecases::TransferBase transfer(instance, [&]() -> Result<usecases::KnowledgeBase> {
      ++opened;
      return usecases::KnowledgeBase{base_.items, base_.activity, base_.keys, kPlainMarkup, base_.clock, instance};
    });
    return transfer.restore(base_.call, backup_, {}, base_.events);
  };
  EXPECT_TRUE(failed(restore_of("recipes"), ErrorCode::InvalidArgument, "instance"));
  backup_.bad_reading = 2;
  EXPECT_TRUE(failed(restore_of("kbase"), ErrorCode::InvalidArgument));
  EXPECT_EQ(opened, 0);
  backup_.bad_reading = 0;
  EXPECT_TRUE(succeeded(restore_of("kbase")));
  EXPECT_EQ(opened, 1);
}

TEST_F(RestoreBase, ReturnsTheErrorOfOpeningTheBase) {
  usecases::TransferBase transfer("kbase", []() -> Result<usecases::KnowledgeBase> {
    return Error{ErrorCode::Unavailable, "the store cannot be opened"};
  });
  EXPECT_TRUE(failed(transfer.restore(base_.call, backup_, {}, base_.events), ErrorCode::Unavailable));
}

TEST_F(RestoreBase, CommitsNoContentOfABackupThatChangesMeanwhile) {
  backup_.bad_reading = 2;
  EXPECT_TRUE(failed(base_.restore(backup_), ErrorCode::InvalidArgument));
  EXPECT_TRUE(is_without_content());

  MemoryBackup replaced = backup_;
  replaced.bad_reading = replaced.readings = 0;
  replaced.before_record = [&](int reading, std::size_t) {
    if (reading == 2) replaced.summary.sha256 = {9};
  };
  Base other;
  const auto refused = other.restore(replaced);
  ASSERT_TRUE(failed(refused, ErrorCode::InvalidArgument));
  EXPECT_THAT(refused.error().message, HasSubstr("kept: was replaced during the restore"));
  EXPECT_EQ(conformance::revision_of(other.items), 0u);
}

TEST_F(RestoreBase, RejectsContentThatAnImportAddsMeanwhile) {
  backup_.before_record = [&](int reading, std::size_t record) {
    if (reading != 2 || record != 0) return;
    ASSERT_TRUE(succeeded(conformance::commit(base_.items, {{conformance::category_of("c")}, {}, {}, {}})));
  };
  EXPECT_TRUE(failed(base_.restore(backup_), ErrorCode::InvalidArgument));
  EXPECT_EQ(conformance::category_ids(base_.items, {0, 9}), "c");
}

TEST_F(RestoreBase, ResumesAnInterruptedRestore) {
  for (std::size_t cut = 0; cut < backup_.records.size(); ++cut) {
    Base base;
    std::atomic<bool> interrupted{false};
    base.call.cancel = &interrupted;
    MemoryBackup backup = backup_;
    backup.readings = 0;
    backup.before_record = [&](int reading, std::size_t record) { interrupted = reading == 2 && record == cut; };
    EXPECT_TRUE(failed(base.restore(backup), ErrorCode::Cancelled)) << cut;
    EXPECT_EQ(conformance::revision_of(base.items), 0u) << cut;
    interrupted = false;
    backup.before_record = {};
    ASSERT_TRUE(succeeded(base.restore(backup))) << cut;
    Base whole;
    ASSERT_TRUE(succeeded(whole.restore(backup)));
    EXPECT_EQ(describe(base), describe(whole)) << cut;
  }
}

TEST_F(RestoreBase, ReturnsTheErrorOfTheItemStoreAndCanBeRetried) {
  MockItemStore items;
  usecases::TransferBase transfer({items, base_.activity, base_.keys, kPlainMarkup, base_.clock, "kbase"});
  const auto restored = [&] { return transfer.restore(base_.call, backup_, {}, base_.events); };
  {
    REQUIRE_CALL(items, totals(_, _)).RETURN(error_of(ErrorCode::Unavailable));
    EXPECT_TRUE(failed(restored(), ErrorCode::Unavailable));
  }
  ALLOW_CALL(items, totals(_, _)).RETURN(ports::StoreTotals{});
  ALLOW_CALL(items, capabilities()).RETURN(ports::ItemStore::Capabilities{});
  {
    REQUIRE_CALL(items, begin(_)).RETURN(error_of(ErrorCode::Conflict));
    EXPECT_TRUE(failed(restored(), ErrorCode::Conflict));
  }
  {
    auto writer = std::make_unique<MockItemWriter>();
    REQUIRE_CALL(*writer, put_category(_, _)).TIMES(2).RETURN(Status());
    REQUIRE_CALL(*writer, put(_, _)).RETURN(Status());
    REQUIRE_CALL(*writer, commit(_)).RETURN(error_of(ErrorCode::Unavailable));
    REQUIRE_CALL(items, begin(_)).LR_RETURN(std::unique_ptr<ports::ItemWriter>(std::move(writer)));
    EXPECT_TRUE(failed(restored(), ErrorCode::Unavailable));
  }
  EXPECT_TRUE(succeeded(base_.restore(backup_)));
  EXPECT_EQ(describe_without_journals(base_).size(), describe_without_journals(before_).size());
}

TEST_F(RestoreBase, OmitsAndReportsUsageThatTheStoreDoesNotSupport) {
  MockApiKeyStore keys;
  ALLOW_CALL(keys, list(_, _)).RETURN(Status());
  ALLOW_CALL(keys, get(_, _)).RETURN(std::optional<model::ApiKey>());
  REQUIRE_CALL(keys, usage(_, _, _, _)).RETURN(error_of(ErrorCode::Unsupported));
  REQUIRE_CALL(keys, create(_, _)).TIMES(2).RETURN(Status());
  usecases::TransferBase transfer({base_.items, base_.activity, keys, kPlainMarkup, base_.clock, "kbase"});
  ASSERT_TRUE(succeeded(transfer.restore(base_.call, backup_, {}, base_.events)));
  EXPECT_EQ(base_.events.omissions.size(), 1u);
}

TEST_F(RestoreBase, ChecksTheCountsOfAStoreThatDoesNotReportItsJournals) {
  MockActivityStore activity;
  const ports::ViewIncrement count{"a", Base::day("2026-03-01"), 3};
  ALLOW_CALL(activity, snapshot(_, _, _)).RETURN(error_of(ErrorCode::Unsupported));
  usecases::TransferBase transfer({base_.items, activity, base_.keys, kPlainMarkup, base_.clock, "kbase"});
  {
    REQUIRE_CALL(activity, days(_, _)).SIDE_EFFECT(_2(count)).RETURN(Status());
    const auto refused = transfer.restore(base_.call, backup_, {}, base_.events);
    ASSERT_TRUE(failed(refused, ErrorCode::InvalidArgument));
    EXPECT_THAT(refused.error().message, HasSubstr("cannot report whether an interrupted restore wrote them"));
  }
  REQUIRE_CALL(activity, days(_, _)).RETURN(Status());
  REQUIRE_CALL(activity, add(_, ports::JournalId{7}, 5u, _)).WITH(_4.empty()).RETURN(Status());
  REQUIRE_CALL(activity, add(_, (ports::JournalId{1, 2, 3}), 3u, _)).WITH(_4.size() == 3).RETURN(Status());
  EXPECT_TRUE(succeeded(transfer.restore(base_.call, backup_, {}, base_.events)));
}

}  // namespace
}  // namespace kbase::tests
