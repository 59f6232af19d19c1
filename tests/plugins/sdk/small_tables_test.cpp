// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <map>
#include <vector>

#include "tests/plugins/sdk/fake_host.hpp"
#include "tests/support/mocks/driven/activity_store.hpp"
#include "tests/support/mocks/driven/api_key_store.hpp"
#include "tests/support/mocks/driven/rate_limit_store.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {

using trompeloeil::_;

// ---- rate limits

using RateLimitInstance = TestInstance<ports::RateLimitStore, MockRateLimitStore>;

/// Allows requests with an even cost; `minute` reports the request.
Status answer(std::span<const ports::AcquireRequest* const> takes, std::span<ports::Decision* const> taken) {
  for (std::size_t i = 0; i < takes.size(); ++i)
    *taken[i] = {takes[i]->cost % 2 == 0, {takes[i]->limits.per_minute, model::Instant()}, {}};
  return {};
}

class AcquireBatches : public testing::TestWithParam<std::uint32_t> {};

TEST_P(AcquireBatches, AnswerEachAcquireInOrder) {
  RateLimitInstance store;
  std::vector<kb_take> takes(GetParam());
  std::vector<kb_taken> taken(GetParam());
  std::vector<const kb_take*> requests;
  std::vector<kb_taken*> decisions;
  for (std::uint32_t i = 0; i < GetParam(); ++i) {
    takes[i] = {sizeof(kb_take), 0, i + 1, 100 + i, 0, {}, {}};
    taken[i].struct_size = sizeof(kb_taken);
    requests.push_back(&takes[i]);
    decisions.push_back(&taken[i]);
  }
  REQUIRE_CALL(store.implementation, acquire(_, _, _)).RETURN(answer(_2, _3));
  ASSERT_EQ(store.table.take(store.handle, store.call(), requests.data(), decisions.data(), GetParam()), KB_OK);
  for (std::uint32_t i = 0; i < GetParam(); ++i) {
    EXPECT_EQ(taken[i].allowed, i % 2);
    EXPECT_EQ(taken[i].minute_remaining, 100 + i);
  }
}

INSTANTIATE_TEST_SUITE_P(FewAndMany, AcquireBatches, testing::Values(1u, 4u, 5u, 100u));

TEST(RateLimitTables, AdjustAnAcquire) {
  RateLimitInstance store;
  const kb_take take{sizeof take, 0, 9, 0, 1000, {7}, {}};
  kb_taken taken{};
  taken.struct_size = sizeof taken;
  taken.allowed = 1;
  taken.day_reset_ms = 86'400'000;
  REQUIRE_CALL(store.implementation, adjust(_, _, _, 4u))
      .WITH(_2.client_id == model::ClientId{7} && _2.cost == 9 && _3.allowed &&
            _3.day.reset == sdk::instant_of(86'400'000))
      .RETURN(Error{ErrorCode::Unavailable, "away"});
  EXPECT_EQ(store.table.settle(store.handle, store.call(), &take, &taken, 4), KB_UNAVAILABLE);
}

TEST(RateLimitTables, PeekIfTheCostIsZero) {
  RateLimitInstance store;
  const kb_take take{sizeof take, 0, 0, 60, 0, {}, {}};
  const kb_take* const takes[] = {&take};
  kb_taken taken{};
  taken.struct_size = sizeof taken;
  kb_taken* const answers[] = {&taken};
  REQUIRE_CALL(store.implementation, acquire(_, _, _))
      .WITH(_2[0]->mode == ports::AcquireRequest::Mode::Peek)
      .RETURN(Status());
  EXPECT_EQ(store.table.take(store.handle, store.call(), takes, answers, 1), KB_OK);
}

TEST(RateLimitTables, DoNotWriteBeyondAShortStruct) {
  RateLimitInstance store;
  const kb_take take{sizeof take, 0, 2, 60, 0, {}, {}};
  const kb_take* const takes[] = {&take};
  kb_taken taken;
  std::memset(&taken, 0xEE, sizeof taken);
  taken.struct_size = offsetof(kb_taken, minute_reset_ms);
  kb_taken* const answers[] = {&taken};
  REQUIRE_CALL(store.implementation, acquire(_, _, _)).RETURN(answer(_2, _3));
  EXPECT_EQ(store.table.take(store.handle, store.call(), takes, answers, 1), KB_OK);
  EXPECT_EQ(taken.minute_remaining, 60u);
  EXPECT_EQ(static_cast<std::uint64_t>(taken.day_reset_ms), 0xEEEEEEEEEEEEEEEE);
}

TEST(RateLimitTables, PassTheFallbackBucketAndReportTheChargedAccount) {
  RateLimitInstance store;
  const kb_take take{sizeof take, 0, 1, 60, 0, {}, {7}};
  const kb_take* const takes[] = {&take};
  kb_taken taken{};
  taken.struct_size = sizeof taken;
  kb_taken* const answers[] = {&taken};
  REQUIRE_CALL(store.implementation, acquire(_, _, _))
      .WITH(_2[0]->fallback_bucket == model::ClientId{7})
      .SIDE_EFFECT(_3[0]->account = ports::Decision::Account::Shared)
      .RETURN(Status());
  EXPECT_EQ(store.table.take(store.handle, store.call(), takes, answers, 1), KB_OK);
  EXPECT_EQ(taken.account, KB_ACCOUNT_SHARED);
}

constexpr std::uint64_t kBeyond32Bits = std::uint64_t{1} << 40;

TEST(RateLimitTables, CapALimitBeyond32Bits) {
  RateLimitInstance store;
  const kb_take take{sizeof take, 0, 1, kBeyond32Bits, kBeyond32Bits + 1, {}, {}};
  const kb_take* const takes[] = {&take};
  kb_taken taken{};
  taken.struct_size = sizeof taken;
  kb_taken* const answers[] = {&taken};
  REQUIRE_CALL(store.implementation, acquire(_, _, _))
      .WITH(_2[0]->limits.per_minute == UINT32_MAX && _2[0]->limits.per_day == UINT32_MAX)
      .RETURN(Status());
  EXPECT_EQ(store.table.take(store.handle, store.call(), takes, answers, 1), KB_OK);
}

TEST(RateLimitTables, RejectACostBeyond32Bits) {
  RateLimitInstance store;
  const kb_take take{sizeof take, 0, kBeyond32Bits, 0, 2 * kBeyond32Bits, {}, {}};
  const kb_take* const takes[] = {&take};
  kb_taken taken{};
  taken.struct_size = sizeof taken;
  kb_taken* const answers[] = {&taken};
  EXPECT_EQ(store.table.take(store.handle, store.call(), takes, answers, 1), KB_UNSUPPORTED);
  const kb_take small{sizeof small, 0, 1, 0, 2 * kBeyond32Bits, {}, {}};
  EXPECT_EQ(store.table.settle(store.handle, store.call(), &small, &taken, kBeyond32Bits), KB_UNSUPPORTED);
}

// ---- caches

/// Records what it receives, and the TTL.
class SmallCache final : public ports::Cache {
 public:
  Result<bool> get(ports::Call&, std::string_view key, Visitor<std::string_view> visitor) override {
    const auto found = values.find(std::string(key));
    if (found == values.end()) return false;
    visitor(found->second);
    return true;
  }
  Status put(ports::Call&, std::string_view key, std::string_view value,
             std::chrono::milliseconds time_to_live) override {
    values[std::string(key)] = value;
    life = time_to_live;
    return {};
  }
  Status erase(ports::Call&, std::string_view key) override {
    values.erase(std::string(key));
    return {};
  }
  Status health(ports::Call&) override { return {}; }

  std::map<std::string, std::string> values;
  std::chrono::milliseconds life{0};
};

std::int32_t keep(void* data, kb_view value) {
  *static_cast<std::string*>(data) = sdk::text_of(value);
  return 0;
}

TEST(CacheTables, StoreReturnAndEraseValues) {
  TestInstance<ports::Cache, SmallCache> cache;
  std::string value;
  const kb_view key = sdk::view_of("k");
  EXPECT_EQ(cache.table.put(cache.handle, cache.call(), key, sdk::view_of("v"), 250), KB_OK);
  EXPECT_EQ(cache.implementation.life, std::chrono::milliseconds(250));
  EXPECT_EQ(cache.table.get(cache.handle, cache.call(), key, keep, &value), KB_OK);
  EXPECT_EQ(value, "v");
  EXPECT_EQ(cache.table.erase(cache.handle, cache.call(), key), KB_OK);
  EXPECT_EQ(cache.table.get(cache.handle, cache.call(), key, keep, &value), KB_NOT_FOUND);
}

TEST(CacheTables, CapAnUnrepresentableTimeToLive) {
  TestInstance<ports::Cache, SmallCache> cache;
  EXPECT_EQ(cache.table.put(cache.handle, cache.call(), sdk::view_of("k"), {}, UINT64_MAX), KB_OK);
  EXPECT_EQ(cache.implementation.life, std::chrono::hours(24 * 366));
}

// ---- keys

TEST(KeyTables, ReturnExistingAndMissingKeys) {
  TestInstance<ports::ApiKeyStore, MockApiKeyStore> store;
  model::ApiKey key;
  key.id = "one";
  std::string recorded;
  const kb_key_sink sink = [](void* data, const kb_key* row) -> std::int32_t {
    *static_cast<std::string*>(data) = sdk::text_of(row->id);
    return 0;
  };
  REQUIRE_CALL(store.implementation, get(_, "one")).RETURN(std::optional<model::ApiKey>(key));
  REQUIRE_CALL(store.implementation, get(_, "two")).RETURN(std::optional<model::ApiKey>());
  EXPECT_EQ(store.table.get(store.handle, store.call(), sdk::view_of("one"), sink, &recorded), KB_OK);
  EXPECT_EQ(recorded, "one");
  EXPECT_EQ(store.table.get(store.handle, store.call(), sdk::view_of("two"), sink, &recorded), KB_NOT_FOUND);
}

TEST(KeyTables, AreHealthyWhileTheRevisionCanBeRead) {
  TestInstance<ports::ApiKeyStore, MockApiKeyStore> store;
  REQUIRE_CALL(store.implementation, revision(_)).RETURN(std::uint64_t{3});
  EXPECT_EQ(store.table.health(store.handle, store.call()), KB_OK);
  REQUIRE_CALL(store.implementation, revision(_)).RETURN(error_of(ErrorCode::Unavailable));
  EXPECT_EQ(store.table.health(store.handle, store.call()), KB_UNAVAILABLE);
}

// ---- activity

std::int32_t record_count(void* data, const kb_view_count* count) {
  static_cast<std::string*>(data)
      ->append(sdk::text_of(count->item))
      .append("@")
      .append(std::to_string(count->day))
      .append("=")
      .append(std::to_string(count->views))
      .append(" ");
  return 0;
}

class ActivityTables : public testing::Test {
 protected:
  TestInstance<ports::ActivityStore, MockActivityStore> store;
  MockActivityStore& port = store.implementation;
  std::string recorded;
};

TEST_F(ActivityTables, AddAllCountsUnderTheJournalNumber) {
  const std::uint8_t journal[16] = {7, 8};
  const kb_view_count counts[] = {{sdk::view_of("a"), 3, 20'000, 0}, {sdk::view_of("b"), 4, 20'001, 0}};
  REQUIRE_CALL(port, add(_, (ports::JournalId{7, 8}), 42u, _))
      .WITH(_4.size() == 2 && _4[1].item == "b" && _4[1].views == 4 && _4[1].day == sdk::day_of(20'001))
      .RETURN(Status());
  EXPECT_EQ(store.table.add(store.handle, store.call(), journal, 42, counts, 2), KB_OK);
}

TEST_F(ActivityTables, ReturnCountsOfEachKind) {
  const ports::ViewIncrement day_of_item{"a", sdk::day_of(5), 1};
  REQUIRE_CALL(port, days(_, _)).SIDE_EFFECT(_2(day_of_item)).RETURN(Status());
  REQUIRE_CALL(port, daily(_, sdk::day_of(1), sdk::day_of(9), _))
      .SIDE_EFFECT(_4(ports::DayViews{sdk::day_of(6), 2}))
      .RETURN(Status());
  REQUIRE_CALL(port, top(_, sdk::day_of(1), sdk::day_of(9), _))
      .SIDE_EFFECT(_4(ports::ItemViews{"b", 3}))
      .RETURN(Status());
  EXPECT_EQ(store.table.days(store.handle, store.call(), record_count, &recorded), KB_OK);
  EXPECT_EQ(store.table.daily(store.handle, store.call(), 1, 9, record_count, &recorded), KB_OK);
  EXPECT_EQ(store.table.top(store.handle, store.call(), 1, 9, record_count, &recorded), KB_OK);
  EXPECT_EQ(recorded, "a@5=1 @6=2 b@0=3 ");
}

std::int32_t record_journal(void* data, const kb_journal_mark* mark) {
  auto& recorded = *static_cast<std::string*>(data);
  recorded += "journal " + std::to_string(mark->journal[15]) + "=" + std::to_string(mark->sequence) + " ";
  return recorded.size() > 40 ? 1 : 0;
}

TEST_F(ActivityTables, ReturnJournalsAndCountsOfASnapshot) {
  ports::JournalMark mark{{}, 42};
  mark.journal[15] = 7;
  const ports::ViewIncrement count{"a", sdk::day_of(5), 1};
  REQUIRE_CALL(port, snapshot(_, _, _)).TIMES(2).SIDE_EFFECT(_2(mark)).SIDE_EFFECT(_3(count)).RETURN(Status());
  EXPECT_EQ(store.table.snapshot(store.handle, store.call(), record_journal, record_count, &recorded), KB_OK);
  EXPECT_EQ(recorded, "journal 7=42 a@5=1 ");
  recorded.resize(40);
  EXPECT_EQ(store.table.snapshot(store.handle, store.call(), record_journal, record_count, &recorded), KB_STOPPED);
}

}  // namespace
}  // namespace kbase::tests
