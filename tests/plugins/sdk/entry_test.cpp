// SPDX-License-Identifier: Apache-2.0
#include "plugins/sdk/entry.hpp"

#include <array>
#include <chrono>
#include <cstring>
#include <new>
#include <stdexcept>

#include "tests/plugins/sdk/fake_host.hpp"
#include "tests/support/mocks/driven/item_store.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {

using std::chrono::milliseconds;
using trompeloeil::_;

using ItemStoreInstance = TestInstance<ports::ItemStore, MockItemStore>;

/// Sink that stores ids and stops after `most` of them.
struct Ids {
  std::string text;
  int most = 1000;

  static std::int32_t take(void* data, const kb_item* item) {
    auto& ids = *static_cast<Ids*>(data);
    ids.text.append(sdk::text_of(item->id)).append(" ");
    return --ids.most <= 0 ? 1 : 0;
  }
};

std::int32_t receive_change(void* data, const kb_change*) { return --*static_cast<int*>(data) <= 0 ? 1 : 0; }

class Entries : public testing::Test {
 protected:
  kb_status get() { return store.table.get(store.handle, store.call(), sdk::view_of("a"), Ids::take, &ids); }
  kb_status recent() { return store.table.recent(store.handle, store.call(), nullptr, 0, 9, Ids::take, &ids); }

  ItemStoreInstance store;
  MockItemStore& port = store.implementation;
  Ids ids;
};

// ---- exceptions and errors of the port

TEST_F(Entries, TurnAnExceptionIntoInternalAndOnlyLogItsText) {
  REQUIRE_CALL(port, get(_, "a", _)).THROW(std::runtime_error("the disk is made of cheese"));
  EXPECT_EQ(get(), KB_INTERNAL);
  ASSERT_TRUE(store.host.explained);
  EXPECT_EQ(store.host.explained->message, "The back end failed.");
  EXPECT_EQ(store.host.explained->detail, "the disk is made of cheese");
}

TEST_F(Entries, TurnBadAllocIntoNoMemory) {
  REQUIRE_CALL(port, get(_, "a", _)).THROW(std::bad_alloc());
  EXPECT_EQ(get(), KB_NO_MEMORY);
  ASSERT_TRUE(store.host.explained);
  EXPECT_EQ(store.host.explained->message, "There is not enough memory.");
}

TEST_F(Entries, TurnOtherExceptionsIntoInternal) {
  REQUIRE_CALL(port, get(_, "a", _)).THROW(42);
  EXPECT_EQ(get(), KB_INTERNAL);
  ASSERT_TRUE(store.host.explained);
}

TEST_F(Entries, ExplainAnErrorWithAllItsMembers) {
  const Error error{ErrorCode::InvalidArgument, "a sentence", "a cause", "path", milliseconds(1500)};
  REQUIRE_CALL(port, get(_, "a", _)).RETURN(error);
  EXPECT_EQ(get(), KB_INVALID_ARGUMENT);
  ASSERT_TRUE(store.host.explained);
  EXPECT_EQ(store.host.explained->message, "a sentence");
  EXPECT_EQ(store.host.explained->detail, "a cause");
  EXPECT_EQ(store.host.explained->parameter, "path");
  EXPECT_EQ(store.host.explained->retry_after, milliseconds(1500));
}

TEST_F(Entries, ReturnNotFoundAsAStatus) {
  REQUIRE_CALL(port, get(_, "a", _)).RETURN(error_of(ErrorCode::NotFound));
  EXPECT_EQ(get(), KB_NOT_FOUND);
}

TEST_F(Entries, UseOnlyFunctionsOfTheHost) {
  store.host.table.struct_size = offsetof(kb_host, explain);
  store.host.table.explain = nullptr;
  store.host.table.cancelled = nullptr;
  REQUIRE_CALL(port, get(_, "a", _)).WITH(!_1.cancelled()).RETURN(error_of(ErrorCode::Unavailable));
  EXPECT_EQ(get(), KB_UNAVAILABLE);
}

// ---- members of a call

TEST_F(Entries, PassDeadlineAndTraceId) {
  store.host.call.deadline_ns = store.host.monotonic_ns + 5'000'000;
  store.host.call.trace_id = sdk::view_of("4bf9");
  const ports::Call::SteadyTime deadline(std::chrono::nanoseconds(7'005'000'000));
  REQUIRE_CALL(port, get(_, "a", _)).WITH(_1.deadline == deadline && _1.trace_id == "4bf9").RETURN(Status());
  EXPECT_EQ(get(), KB_OK);
}

TEST_F(Entries, PassNoDeadlineIfThereIsNone) {
  REQUIRE_CALL(port, get(_, "a", _)).WITH(_1.deadline == ports::Call::SteadyTime::max()).RETURN(Status());
  EXPECT_EQ(get(), KB_OK);
}

TEST_F(Entries, AskTheHostForCancellationOnEachCheck) {
  const auto wait = [&](ports::Call& call) -> Status {
    if (call.cancelled()) return {};
    store.host.cancelled = true;
    return call.cancelled() ? error_of(ErrorCode::Cancelled) : Status();
  };
  REQUIRE_CALL(port, get(_, "a", _)).LR_RETURN(wait(_1));
  EXPECT_EQ(get(), KB_CANCELLED);
}

// ---- sinks

TEST_F(Entries, PassRowsToTheSink) {
  std::array<model::ItemSummaryView, 2> rows;
  rows[0].id = "a";
  rows[1].id = "b";
  REQUIRE_CALL(port, recent(_, std::nullopt, _, _)).LR_SIDE_EFFECT(hand(rows, _4)).RETURN(Status());
  EXPECT_EQ(recent(), KB_OK);
  EXPECT_EQ(ids.text, "a b ");
}

TEST_F(Entries, ReportThatTheSinkStopped) {
  std::array<model::ItemSummaryView, 2> rows;
  rows[0].id = "a";
  rows[1].id = "b";
  ids.most = 1;
  REQUIRE_CALL(port, recent(_, std::nullopt, _, _)).LR_SIDE_EFFECT(hand(rows, _4)).RETURN(Status());
  EXPECT_EQ(recent(), KB_STOPPED);
  EXPECT_EQ(ids.text, "a ");
}

TEST_F(Entries, NeverCallAStoppedSinkAgain) {
  ids.most = 1;
  const auto ignore_stop = [](const ports::SummaryVisitor& visitor) {
    for (int i = 0; i < 3; ++i) visitor(model::ItemSummaryView());
  };
  REQUIRE_CALL(port, recent(_, std::nullopt, _, _)).LR_SIDE_EFFECT(ignore_stop(_4)).RETURN(Status());
  EXPECT_EQ(recent(), KB_STOPPED);
  EXPECT_EQ(ids.text, " ");
}

TEST_F(Entries, TreatCancelledAfterAStopAsStopped) {
  int most = 1;
  std::uint64_t up_to = 99;
  REQUIRE_CALL(port, changes(_, 3u, _)).SIDE_EFFECT(_3(ports::Change())).RETURN(error_of(ErrorCode::Cancelled));
  EXPECT_EQ(store.table.changes(store.handle, store.call(), 3, receive_change, &most, &up_to), KB_STOPPED);
  EXPECT_EQ(up_to, 99u);
}

TEST_F(Entries, ReportAFailureAfterAStop) {
  int most = 1;
  std::uint64_t up_to = 99;
  REQUIRE_CALL(port, changes(_, 3u, _)).SIDE_EFFECT(_3(ports::Change())).RETURN(error_of(ErrorCode::Corrupt));
  EXPECT_EQ(store.table.changes(store.handle, store.call(), 3, receive_change, &most, &up_to), KB_CORRUPT);
}

TEST_F(Entries, SetTheRevisionOfTheFeedAfterTheLastRow) {
  int most = 9;
  std::uint64_t up_to = 99;
  REQUIRE_CALL(port, changes(_, 3u, _)).SIDE_EFFECT(_3(ports::Change())).RETURN(model::Revision{8});
  EXPECT_EQ(store.table.changes(store.handle, store.call(), 3, receive_change, &most, &up_to), KB_OK);
  EXPECT_EQ(up_to, 8u);
}

TEST_F(Entries, SurviveASinkThatThrows) {
  const kb_item_sink throwing = [](void*, const kb_item*) -> std::int32_t { throw std::runtime_error("a bad sink"); };
  std::array<model::ItemView, 1> rows;
  REQUIRE_CALL(port, get(_, "a", _)).LR_SIDE_EFFECT(hand(rows, _3)).RETURN(Status());
  EXPECT_EQ(store.table.get(store.handle, store.call(), sdk::view_of("a"), throwing, nullptr), KB_INTERNAL);
}

// ---- structs defined by the caller

TEST_F(Entries, DoNotWriteBeyondAShortStruct) {
  kb_store_totals out;
  std::memset(&out, 0xEE, sizeof out);
  out.struct_size = offsetof(kb_store_totals, views);
  REQUIRE_CALL(port, totals(_, _)).RETURN(ports::StoreTotals{1, 2, 3, 4});
  EXPECT_EQ(store.table.totals(store.handle, store.call(), 0, &out), KB_OK);
  EXPECT_EQ(out.struct_size, offsetof(kb_store_totals, views));
  EXPECT_EQ(out.items, 1u);
  EXPECT_EQ(out.categories, 2u);
  EXPECT_EQ(out.views, 0xEEEEEEEEEEEEEEEE);
  EXPECT_EQ(out.recent_additions, 0xEEEEEEEEEEEEEEEE);
}

TEST_F(Entries, FillTheKnownPartOfALongStruct) {
  struct Newer {
    kb_store_totals totals;
    std::uint64_t added_later;
  } out{{}, 17};
  out.totals.struct_size = sizeof out;
  REQUIRE_CALL(port, totals(_, _)).RETURN(ports::StoreTotals{1, 2, 3, 4});
  EXPECT_EQ(store.table.totals(store.handle, store.call(), 0, &out.totals), KB_OK);
  EXPECT_EQ(out.totals.struct_size, sizeof out);
  EXPECT_EQ(out.totals.recent_additions, 4u);
  EXPECT_EQ(out.added_later, 17u);
}

}  // namespace
}  // namespace kbase::tests
