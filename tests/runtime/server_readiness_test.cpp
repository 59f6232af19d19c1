// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/server_health.hpp"
#include "domain/usecases/item_document.hpp"

#include <gtest/gtest.h>

#include "plugins/conformance/fixtures.hpp"
#include "tests/support/mocks/driven/item_store.hpp"
#include "tests/support/mocks/driven/search_index.hpp"
#include "tests/support/mocks/driven/service_monitor.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {

using trompeloeil::_;
using Phase = runtime::ServerReadiness::Phase;
using Obstacles = std::vector<std::string_view>;

class ServerReadiness : public testing::Test {
 protected:
  ServerReadiness() { readiness_.set(Phase::Serving); }

  void refresh(const Result<ports::IndexState>& state, const Result<model::Revision>& revision = kRevision) {
    ALLOW_CALL(items_, store_id()).RETURN(kStoreId);
    ALLOW_CALL(items_, revision(_)).RETURN(revision);
    ALLOW_CALL(index_, state(_)).RETURN(state);
    ALLOW_CALL(index_, health(_)).RETURN(index_health_);
    readiness_.refresh();
  }

  Obstacles obstacles(ports::ServiceState storage = ports::ServiceState::Up) {
    ALLOW_CALL(monitor_, state(ports::Service::Storage)).RETURN(storage);
    return readiness_.obstacles();
  }

  static ports::IndexState complete_at(model::Revision revision) {
    ports::IndexState state;
    state.complete = true;
    state.store_id = usecases::indexed_store_id(kStoreId);
    state.revision = revision;
    return state;
  }

  static constexpr model::StoreId kStoreId{1};
  inline static const Result<model::Revision> kRevision = model::Revision{10};

  Status index_health_ = error_of(ErrorCode::Unavailable);
  MockItemStore items_;
  MockSearchIndex index_;
  MockServiceMonitor monitor_;
  conformance::ManualClock clock_;
  runtime::ServerReadiness readiness_{{items_, index_, monitor_, clock_}};
};

TEST_F(ServerReadiness, RequiresAnIndexThatWasComplete) {
  EXPECT_EQ(obstacles(), Obstacles{"the search index is not complete yet"});
  refresh(ports::IndexState{});
  EXPECT_EQ(obstacles(), Obstacles{"the search index is not complete yet"});
  refresh(complete_at(3));
  EXPECT_EQ(obstacles(), Obstacles{}) << "an outdated index is no reason, since the old state answers";
}

TEST_F(ServerReadiness, AcceptsAnOutdatedIndexUntilItIsRebuilt) {
  index_health_ = {};
  refresh(ports::IndexState{});
  EXPECT_EQ(obstacles(), Obstacles{});
}

TEST_F(ServerReadiness, RequiresTheStorage) {
  refresh(complete_at(10));
  EXPECT_EQ(obstacles(ports::ServiceState::Down), Obstacles{"the storage is down"});
  EXPECT_EQ(obstacles(), Obstacles{});
}

TEST_F(ServerReadiness, RequiresTheServingState) {
  refresh(complete_at(10));
  readiness_.set(Phase::Starting);
  EXPECT_EQ(obstacles(), Obstacles{"the server is starting"});
  readiness_.set(Phase::Draining);
  EXPECT_EQ(obstacles(), Obstacles{"the server is stopping"});
}

TEST_F(ServerReadiness, KeepsItsStateWithoutNews) {
  refresh(complete_at(4));
  refresh(error_of(ErrorCode::Unavailable));
  EXPECT_EQ(obstacles(), Obstacles{});
  refresh(complete_at(9), error_of(ErrorCode::Unavailable));
  EXPECT_EQ(readiness_.index_lag(), 6u);
}

TEST_F(ServerReadiness, LimitsEachCheckToThreeSecondsAndCancelsItOnStop) {
  const std::atomic<bool> stopping = true;
  const auto deadline = clock_.steady() + std::chrono::seconds(3);
  ALLOW_CALL(items_, store_id()).RETURN(kStoreId);
  REQUIRE_CALL(index_, state(_)).LR_WITH(_1.deadline == deadline && _1.cancelled()).RETURN(ports::IndexState{});
  REQUIRE_CALL(index_, health(_)).LR_WITH(_1.deadline == deadline && _1.cancelled()).RETURN(Status());
  REQUIRE_CALL(items_, revision(_)).LR_WITH(_1.deadline == deadline && _1.cancelled()).RETURN(model::Revision{10});
  readiness_.refresh(&stopping);
}

TEST_F(ServerReadiness, CountsTheChangesMissingInTheIndex) {
  refresh(complete_at(7));
  EXPECT_EQ(readiness_.index_lag(), 3u);
  refresh(complete_at(10));
  EXPECT_EQ(readiness_.index_lag(), 0u);
  ports::IndexState other = complete_at(10);
  other.store_id = {2};
  refresh(other);
  EXPECT_EQ(readiness_.index_lag(), 10u) << "an index of another store contains nothing of this one";
}

}  // namespace
}  // namespace kbase::tests
