// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/index_follower.hpp"
#include "domain/usecases/item_document.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "plugins/conformance/fixtures.hpp"
#include "tests/support/mocks/driven/item_store.hpp"
#include "tests/support/mocks/driven/search_index.hpp"
#include "tests/support/outcome.hpp"
#include "tests/support/plain_markup.hpp"

namespace kbase::tests {
namespace {

using trompeloeil::_;
using Events = std::vector<std::string>;

class EventNames final : public ports::EventLog {
 public:
  void log(ports::LogLevel, std::string_view event, std::string_view, std::span<const ports::LogField>) override {
    names.emplace_back(event);
  }
  Events names;
};

class IndexUpdater : public testing::Test {
 protected:
  IndexUpdater() {
    allowed_.push_back(NAMED_ALLOW_CALL(items_, store_id()).RETURN(kStoreId));
    allowed_.push_back(NAMED_ALLOW_CALL(items_, revision(_)).RETURN(model::Revision{5}));
    allowed_.push_back(NAMED_ALLOW_CALL(items_, capabilities()).RETURN(ports::ItemStore::Capabilities{}));
    allowed_.push_back(NAMED_ALLOW_CALL(index_, health(_)).RETURN(Status()));
    allowed_.push_back(NAMED_ALLOW_CALL(index_, state(_)).LR_RETURN(state()));
    allowed_.push_back(NAMED_ALLOW_CALL(index_, begin(_, _, _)).SIDE_EFFECT(++attempts_).LR_RETURN(writer()));
  }

  /// Up to date, or one revision behind if `failure_` prevents updates.
  Result<ports::IndexState> state() const {
    ports::IndexState state;
    state.complete = true;
    state.store_id = usecases::indexed_store_id(kStoreId);
    state.revision = failure_ ? 4 : 5;
    return state;
  }

  Result<std::unique_ptr<ports::IndexWriter>> writer() const { return error_of(*failure_); }

  /// Calls update() five times a second for `time` and returns the number of batches that were begun.
  int attempts_within(std::chrono::milliseconds time) {
    const int before = attempts_;
    for (; time > time.zero(); time -= std::chrono::milliseconds(200)) {
      updater_.update();
      clock_.advance(std::chrono::milliseconds(200));
    }
    return attempts_ - before;
  }

  static constexpr model::StoreId kStoreId{1};

  std::optional<ErrorCode> failure_;
  int attempts_ = 0;
  MockItemStore items_;
  MockSearchIndex index_;
  EventNames log_;
  conformance::ManualClock clock_;
  runtime::HealthChecker health_{{items_, index_, /*cache=*/nullptr, clock_, log_}};
  runtime::ServerReadiness readiness_{{items_, index_, health_, clock_}};
  runtime::LiveSynonyms synonyms_{items_, [](std::string_view word) { return std::string(word); }};
  runtime::IndexUpdater updater_{{items_, index_, tests::kPlainMarkup, health_, readiness_, clock_, log_, synonyms_}};
  std::vector<std::unique_ptr<trompeloeil::expectation>> allowed_;
};

TEST_F(IndexUpdater, LogsAFailureOnceAndItsEnd) {
  failure_ = ErrorCode::Unavailable;
  attempts_within(std::chrono::minutes(5));
  EXPECT_EQ(log_.names, Events{"index.behind"});
  EXPECT_EQ(health_.state(ports::Service::Indexing), ports::ServiceState::Down);
  failure_.reset();
  attempts_within(std::chrono::seconds(11));
  EXPECT_EQ(log_.names, (Events{"index.behind", "index.follows"}));
  EXPECT_EQ(health_.state(ports::Service::Indexing), ports::ServiceState::Up);
}

TEST_F(IndexUpdater, RetriesFailuresWithIncreasingDelays) {
  failure_ = ErrorCode::Unavailable;
  EXPECT_EQ(attempts_within(std::chrono::milliseconds(1400)), 3) << "after 0, 200 and 600 ms";
  attempts_within(std::chrono::minutes(1));
  EXPECT_EQ(attempts_within(std::chrono::minutes(1)), 6);
}

TEST_F(IndexUpdater, ReportsNoFailureWhileAnotherProcessFeedsTheIndex) {
  failure_ = ErrorCode::Conflict;
  EXPECT_EQ(attempts_within(std::chrono::seconds(2)), 10);
  EXPECT_EQ(log_.names, Events{});
  EXPECT_EQ(health_.state(ports::Service::Indexing), ports::ServiceState::Up);
}

TEST_F(IndexUpdater, PublishesSynonymsWhenTheIndexHasTheItemsOfTheirRevision) {
  ports::ItemStore::Capabilities capabilities;
  capabilities.synonyms = true;
  allowed_.push_back(NAMED_ALLOW_CALL(items_, capabilities()).RETURN(capabilities));
  const std::vector<std::string_view> words{"k8s", "kubernetes"};
  allowed_.push_back(NAMED_ALLOW_CALL(items_, synonyms(_, _)).LR_SIDE_EFFECT(_2({{}, words, "docs"})).RETURN(Status()));
  failure_ = ErrorCode::Conflict;
  updater_.update();
  EXPECT_EQ(synonyms_.current()->digest(), 0U) << "another process has not fed the index yet";
  failure_.reset();
  updater_.update();
  EXPECT_NE(synonyms_.current()->digest(), 0U);
}

TEST_F(IndexUpdater, LogsOnceThatAnotherProcessFeedsTheIndexForLong) {
  failure_ = ErrorCode::Conflict;
  attempts_within(std::chrono::seconds(59));
  EXPECT_EQ(log_.names, Events{});
  attempts_within(std::chrono::minutes(5));
  EXPECT_EQ(log_.names, Events{"index.fed_elsewhere"});
  failure_.reset();
  updater_.update();
  failure_ = ErrorCode::Conflict;
  attempts_within(std::chrono::minutes(2));
  EXPECT_EQ(log_.names, (Events{"index.fed_elsewhere", "index.fed_elsewhere"}));
}

TEST_F(IndexUpdater, LogsNothingAboutWorkThatStopInterrupts) {
  failure_ = ErrorCode::Cancelled;
  updater_.stop();
  attempts_within(std::chrono::seconds(1));
  EXPECT_EQ(log_.names, Events{});
}

TEST_F(IndexUpdater, IssuesOnlyCallsThatStopInterrupts) {
  updater_.stop();
  FORBID_CALL(index_, state(_)).WITH(!_1.cancelled());
  FORBID_CALL(items_, revision(_)).WITH(!_1.cancelled());
  updater_.update();
}

TEST_F(IndexUpdater, WaitsForTheStoreToReportChanges) {
  ALLOW_CALL(items_, capabilities()).RETURN(ports::ItemStore::Capabilities{.waits = true});
  REQUIRE_CALL(items_, wait(_, model::Revision{5}))
      .WITH(_1.deadline == clock_.steady() + std::chrono::seconds(1))
      .RETURN(Status());
  updater_.update();
  updater_.await_change();
}

TEST_F(IndexUpdater, PollsAStoreThatReportsNoChanges) {
  ALLOW_CALL(items_, capabilities()).RETURN(ports::ItemStore::Capabilities{});
  FORBID_CALL(items_, wait(_, _));
  updater_.update();
  updater_.await_change();
}

TEST_F(IndexUpdater, WaitsForNoChangeWhileTheIndexIsBehind) {
  failure_ = ErrorCode::Unavailable;
  ALLOW_CALL(items_, capabilities()).RETURN(ports::ItemStore::Capabilities{.waits = true});
  FORBID_CALL(items_, wait(_, _));
  updater_.update();
  updater_.await_change();
}

}  // namespace
}  // namespace kbase::tests
