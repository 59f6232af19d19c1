// SPDX-License-Identifier: Apache-2.0
#include "tests/support/mocks/driven/activity_store.hpp"
#include "tests/support/mocks/driven/api_key_store.hpp"
#include "tests/support/mocks/driven/item_store.hpp"
#include "tests/support/plain_markup.hpp"
#include "tests/unit/base_fixture.hpp"

namespace kbase::tests {
namespace {
using trompeloeil::_;
using Strings = std::vector<std::string>;

class BackUpBase : public testing::Test {
 protected:
  Base base_;
  MemoryBackup backup_;
};

TEST_F(BackUpBase, WritesKeysUsageAndViewsBeforeTheContent) {
  base_.fill();
  ASSERT_TRUE(succeeded(base_.back_up(backup_)));
  EXPECT_TRUE(backup_.is_finished);
  EXPECT_EQ(backup_.describe(), (Strings{"key k1", "key k2", "usage configured 2026-03-02 1", "usage k1 2026-03-01 3",
                                         "usage k1 2026-03-02 4", "journal 7 5", "viewed a 2026-03-01:1 2026-03-02:2",
                                         "viewed gone 2026-03-01:9", "synonyms of k8s", "category shelf", "item a",
                                         "item b", "category box"}));
  EXPECT_EQ(base_.events.omissions, Strings{});
}

TEST_F(BackUpBase, RecordsTheInstanceAndTheRevisionOfTheContent) {
  base_.fill();
  const auto summary = base_.back_up(backup_);
  ASSERT_TRUE(succeeded(summary));
  EXPECT_EQ(summary->head.instance, "kbase");
  EXPECT_EQ(summary->head.store_id, base_.items.store_id());
  EXPECT_EQ(summary->head.started, base_.clock.now());
  EXPECT_EQ(summary->revision, conformance::revision_of(base_.items));
}

TEST_F(BackUpBase, BacksUpAnEmptyBase) {
  ASSERT_TRUE(succeeded(base_.back_up(backup_)));
  EXPECT_TRUE(backup_.is_finished);
  EXPECT_EQ(backup_.describe(), Strings{});
}

TEST_F(BackUpBase, ReportsProgressEveryThousandContentRecords) {
  std::vector<std::string> ids;
  for (int i = 0; i < 2500; ++i) ids.push_back("i" + std::to_string(i));
  std::vector<model::ItemView> items;
  for (const std::string& id : ids) items.push_back(conformance::item_of(id));
  ASSERT_TRUE(succeeded(conformance::commit(base_.items, {{conformance::category_of("shelf")}, items, {}, {}})));
  ASSERT_TRUE(succeeded(base_.back_up(backup_)));
  EXPECT_EQ(base_.events.progress, (Strings{"0 0.399840 1000", "0 0.799680 2000"}));
}

TEST_F(BackUpBase, StopsAtTheFirstRecordThatCannotBeWritten) {
  base_.fill();
  for (std::size_t record = 0; record < 12; ++record) {
    MemoryBackup full;
    full.fails_at = record;
    EXPECT_TRUE(failed(base_.back_up(full), ErrorCode::Unavailable)) << record;
    EXPECT_EQ(full.records.size(), record);
    EXPECT_FALSE(full.is_finished);
  }
}

TEST_F(BackUpBase, StopsWhenItIsCancelled) {
  base_.fill();
  const std::atomic<bool> interrupted{true};
  base_.call.cancel = &interrupted;
  EXPECT_TRUE(failed(base_.back_up(backup_), ErrorCode::Cancelled));
  EXPECT_FALSE(backup_.is_finished);
}

TEST_F(BackUpBase, OmitsAndReportsDataThatAStoreDoesNotSupport) {
  base_.fill();
  MockActivityStore activity;
  MockApiKeyStore keys;
  const ports::ViewIncrement count{"a", Base::day("2026-03-01"), 3};
  ALLOW_CALL(keys, list(_, _)).RETURN(Status());
  REQUIRE_CALL(keys, usage(_, _, _, _)).RETURN(error_of(ErrorCode::Unsupported));
  REQUIRE_CALL(activity, snapshot(_, _, _)).RETURN(error_of(ErrorCode::Unsupported));
  REQUIRE_CALL(activity, days(_, _)).SIDE_EFFECT(_2(count)).RETURN(Status());
  usecases::TransferBase transfer({base_.items, activity, keys, kPlainMarkup, base_.clock, "kbase"});
  ASSERT_TRUE(succeeded(transfer.back_up(base_.call, backup_, base_.events)));
  EXPECT_EQ(backup_.describe(), (Strings{"viewed a 2026-03-01:3", "synonyms of k8s", "category shelf", "item a",
                                         "item b", "category box"}));
  EXPECT_EQ(base_.events.omissions.size(), 2u);
}

TEST_F(BackUpBase, OmitsRecordsThatAStoreReportsAsRemoved) {
  MockItemStore items;
  ports::Change item, category;
  item.kind = ports::Change::Kind::ItemRemoved;
  category.kind = ports::Change::Kind::CategoryRemoved;
  ALLOW_CALL(items, store_id()).RETURN(model::StoreId{});
  ALLOW_CALL(items, capabilities()).RETURN(ports::ItemStore::Capabilities{});
  ALLOW_CALL(items, totals(_, _)).RETURN(ports::StoreTotals{});
  REQUIRE_CALL(items, changes(_, 0u, _)).SIDE_EFFECT(_3(item)).SIDE_EFFECT(_3(category)).RETURN(model::Revision{7});
  usecases::TransferBase transfer({items, base_.activity, base_.keys, kPlainMarkup, base_.clock, "kbase"});
  ASSERT_TRUE(succeeded(transfer.back_up(base_.call, backup_, base_.events)));
  EXPECT_EQ(backup_.describe(), Strings{});
}

TEST_F(BackUpBase, ReturnsTheErrorsOfTheStores) {
  MockItemStore items;
  MockActivityStore activity;
  MockApiKeyStore keys;
  usecases::TransferBase transfer({items, activity, keys, kPlainMarkup, base_.clock, "kbase"});
  const auto fails = [&] { return failed(transfer.back_up(base_.call, backup_, base_.events), ErrorCode::Corrupt); };
  ALLOW_CALL(items, store_id()).RETURN(model::StoreId{});
  ALLOW_CALL(items, capabilities()).RETURN(ports::ItemStore::Capabilities{});
  {
    REQUIRE_CALL(items, totals(_, _)).RETURN(error_of(ErrorCode::Corrupt));
    EXPECT_TRUE(fails());
  }
  ALLOW_CALL(items, totals(_, _)).RETURN(ports::StoreTotals{});
  {
    REQUIRE_CALL(keys, list(_, _)).RETURN(error_of(ErrorCode::Corrupt));
    EXPECT_TRUE(fails());
  }
  ALLOW_CALL(keys, list(_, _)).RETURN(Status());
  {
    REQUIRE_CALL(keys, usage(_, _, _, _)).RETURN(error_of(ErrorCode::Corrupt));
    EXPECT_TRUE(fails());
  }
  ALLOW_CALL(keys, usage(_, _, _, _)).RETURN(Status());
  {
    REQUIRE_CALL(activity, snapshot(_, _, _)).RETURN(error_of(ErrorCode::Corrupt));
    EXPECT_TRUE(fails());
  }
  ALLOW_CALL(activity, snapshot(_, _, _)).RETURN(Status());
  REQUIRE_CALL(items, changes(_, 0u, _)).RETURN(error_of(ErrorCode::Corrupt));
  EXPECT_TRUE(fails());
  EXPECT_FALSE(backup_.is_finished);
}

}  // namespace
}  // namespace kbase::tests
