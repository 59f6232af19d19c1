// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/view_tasks.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "adapters/memory/activity_store.hpp"
#include "adapters/memory/item_store.hpp"
#include "plugins/conformance/fixtures.hpp"
#include "tests/runtime/leasing_store.hpp"
#include "tests/support/counting_random.hpp"
#include "tests/support/mocks/driven/item_store.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kbase::runtime {
namespace {

/// Records the views it receives.
class CounterIndex final : public ports::SearchIndex {
 public:
  Capabilities capabilities() const override { return supported; }
  std::string_view fingerprint() const override { return "counter"; }
  Result<ports::SearchResult> search(ports::Call&, const ports::SearchRequest&, Visitor<ports::SearchHit>) override {
    return ports::SearchResult{};
  }
  Result<ports::IndexState> state(ports::Call&) override {
    ports::IndexState state;
    state.complete = true;
    state.views_revision = views_revision;
    return state;
  }
  Result<std::unique_ptr<ports::IndexWriter>> begin(ports::Call&, Build, const model::StoreId&) override {
    return Error{ErrorCode::Unsupported, "no writer"};
  }
  Status set_views(ports::Call& call, std::span<const ports::ItemViews> totals,
                   model::ViewsRevision revision) override {
    if (is_unavailable) return Error{ErrorCode::Unavailable, "away"};
    if (call.cancelled()) return Error{ErrorCode::Cancelled, "cancelled"};
    for (const ports::ItemViews& row : totals) views[std::string(row.item)] = row.views;
    received += totals.size();
    views_revision = revision;
    return {};
  }
  Status verify(ports::Call&) override { return {}; }
  Status health(ports::Call&) override { return {}; }

  std::map<std::string, std::uint64_t> views;
  std::size_t received = 0;  ///< number of view totals
  model::ViewsRevision views_revision = 0;
  Capabilities supported;
  bool is_unavailable = false;
};

/// Forwards calls to a real store. With `unavailable`, calls fail. With `answers_lost`, add() succeeds in the store but
/// returns an error.
class UnreliableActivity final : public ports::ActivityStore {
 public:
  Status add(ports::Call& call, const ports::JournalId& journal, std::uint64_t sequence,
             std::span<const ports::ViewIncrement> increments) override {
    if (unavailable) return unavailable_error();
    deadline = call.deadline;
    pieces.push_back({sequence, increments.size()});
    if (on_add) on_add();
    auto added = store.add(call, journal, sequence, increments);
    return answers_lost ? unavailable_error() : added;
  }
  Status set(ports::Call& call, std::string_view item, std::span<const ports::DayViews> days) override {
    return store.set(call, item, days);
  }
  Result<model::ViewsRevision> revision(ports::Call& call) override { return store.revision(call); }
  Result<model::ViewsRevision> totals(ports::Call& call, model::ViewsRevision after,
                                      Visitor<ports::ItemViews> visitor) override {
    if (unavailable) return unavailable_error();
    return store.totals(call, after, visitor);
  }
  Status top(ports::Call& call, model::Day first, model::Day last, Visitor<ports::ItemViews> visitor) override {
    return store.top(call, first, last, visitor);
  }
  Status daily(ports::Call& call, model::Day first, model::Day last, Visitor<ports::DayViews> visitor) override {
    return store.daily(call, first, last, visitor);
  }
  Status days(ports::Call& call, Visitor<ports::ViewIncrement> visitor) override { return store.days(call, visitor); }
  Status snapshot(ports::Call& call, Visitor<ports::JournalMark> journals,
                  Visitor<ports::ViewIncrement> counts) override {
    return store.snapshot(call, journals, counts);
  }

  /// One call of add().
  struct Piece {
    std::uint64_t sequence;
    std::size_t increments;
  };

  memory::MemoryActivityStore store;
  std::vector<Piece> pieces;  ///< calls of add() while the store was available
  bool unavailable = false;
  bool answers_lost = false;
  std::function<void()> on_add;      ///< called by add()
  ports::Call::SteadyTime deadline;  ///< deadline of the last add()

 private:
  static Error unavailable_error() { return {ErrorCode::Unavailable, "away"}; }
};

class CountedEvents final : public ports::EventLog {
 public:
  void log(ports::LogLevel, std::string_view, std::string_view, std::span<const ports::LogField>) override { ++events; }
  int events = 0;
};

class ViewFlusherTest : public testing::Test {
 protected:
  /// A process: its state in memory, on top of the journal and the stores, which outlive it.
  struct Process {
    explicit Process(ViewFlusherTest& fixture, IndexWriteLease* lease = nullptr)
        : views(fixture.clock_),
          flusher({views, fixture.activity_, fixture.clock_, fixture.log_},
                  *ViewJournal::open(fixture.folder_.path(), fixture.random_)),
          publisher({views, fixture.activity_, fixture.items_, fixture.index_, fixture.clock_, fixture.log_, lease}) {}

    /// Counts one view and flushes it to the store.
    void count(std::string_view item) {
      views.count(item);
      flusher.write_journal();
      flusher.flush();
    }

    /// Counts one view of each of `items` new items and writes them to the journal.
    void count_items(std::size_t items) {
      for (std::size_t i = 0; i < items; ++i) views.count(std::to_string(next_item++));
      flusher.write_journal();
    }
    std::size_t next_item = 0;
    CountedViews views;
    ViewFlusher flusher;
    ViewPublisher publisher;
  };

  void put_item(std::string_view id, std::string_view category) {
    auto writer = items_.begin(call_);
    ASSERT_TRUE(writer);
    model::CategoryView shelf;
    shelf.id = shelf.name = category;
    ASSERT_TRUE((*writer)->put_category(call_, shelf));
    model::ItemView item;
    item.id = id;
    item.category = category;
    const model::ItemView* const items[] = {&item};
    ASSERT_TRUE((*writer)->put(call_, items));
    ASSERT_TRUE((*writer)->commit(call_));
  }

  std::uint64_t stored(std::string_view item) {
    std::uint64_t views = 0;
    EXPECT_TRUE(activity_.store.totals(call_, 0, [&](const ports::ItemViews& row) {
      if (row.item == item) views = row.views;
      return Visit::Continue;
    }));
    return views;
  }

  /// Views of all items in the store.
  std::uint64_t stored() {
    std::uint64_t views = 0;
    EXPECT_TRUE(activity_.store.totals(call_, 0, [&](const ports::ItemViews& row) {
      views += row.views;
      return Visit::Continue;
    }));
    return views;
  }

  /// Sequence numbers of the add() calls, in order.
  std::vector<std::uint64_t> sent_sequences() const {
    std::vector<std::uint64_t> sequences;
    for (const UnreliableActivity::Piece& piece : activity_.pieces) sequences.push_back(piece.sequence);
    return sequences;
  }

  static std::map<std::string, std::uint64_t> by_category(const CountedViews& views) {
    std::map<std::string, std::uint64_t> found;
    views.by_category([&](const ports::CategoryViews& row) {
      found[std::string(row.id)] = row.views;
      return Visit::Continue;
    });
    return found;
  }

  conformance::ManualClock clock_;
  tests::CountingRandom random_;
  tests::TemporaryFolder folder_;
  UnreliableActivity activity_;
  memory::MemoryItemStore items_{random_, clock_};
  CounterIndex index_;
  CountedEvents log_;
  ports::Call call_;
};

TEST_F(ViewFlusherTest, ShowsAViewAtOnceAndStoresItWithTheNextFlush) {
  Process process(*this);
  process.views.count("a");
  EXPECT_EQ(process.views.views_of("a"), 1U);
  EXPECT_EQ(stored("a"), 0U);
  process.flusher.write_journal();
  process.flusher.flush();
  EXPECT_EQ(process.views.views_of("a"), 1U);
  EXPECT_EQ(stored("a"), 1U);
}

TEST_F(ViewFlusherTest, StoresTheJournalOfAKilledProcess) {
  {
    Process killed(*this);
    killed.views.count("a");
    killed.views.count("a");
    killed.flusher.write_journal();
  }
  Process next(*this);
  ASSERT_TRUE(next.flusher.recover());
  EXPECT_EQ(stored("a"), 2U);
  EXPECT_EQ(next.views.views_of("a"), 2U);
}

TEST_F(ViewFlusherTest, CountsNothingTwiceIfTheProcessDiedBetweenStoreAndJournal) {
  {
    Process killed(*this);
    killed.views.count("a");
    killed.flusher.write_journal();
    activity_.answers_lost = true;
    killed.flusher.flush();
    activity_.answers_lost = false;
  }
  EXPECT_EQ(stored("a"), 1U);
  Process next(*this);
  ASSERT_TRUE(next.flusher.recover());
  EXPECT_EQ(stored("a"), 1U);
  EXPECT_EQ(next.views.views_of("a"), 1U);
}

TEST_F(ViewFlusherTest, KeepsViewsWhileTheStoreIsUnavailableAndLogsItOnce) {
  Process process(*this);
  activity_.unavailable = true;
  for (int round = 0; round < 3; ++round) {
    process.views.count("a");
    process.flusher.write_journal();
    process.flusher.flush();
  }
  EXPECT_EQ(process.views.views_of("a"), 3U);
  EXPECT_EQ(log_.events, 1);
  activity_.unavailable = false;
  process.flusher.flush();
  process.flusher.flush();
  EXPECT_EQ(stored("a"), 3U);
  EXPECT_EQ(process.views.views_of("a"), 3U);
}

TEST_F(ViewFlusherTest, SendsABacklogInBoundedPieces) {
  Process process(*this);
  activity_.unavailable = true;
  for (int round = 0; round < 5; ++round) {
    process.count_items(ViewJournal::kMaxRecords / 2);
    process.flusher.flush();
  }
  activity_.unavailable = false;
  process.flusher.flush();
  EXPECT_EQ(stored(), 5 * ViewJournal::kMaxRecords / 2);
  EXPECT_GT(activity_.pieces.size(), 1U);
  for (const auto& piece : activity_.pieces) EXPECT_LE(piece.increments, ViewJournal::kMaxRecords);
}

TEST_F(ViewFlusherTest, JournalsABacklogInBoundedPieces) {
  Process process(*this);
  process.count_items(2 * ViewJournal::kMaxRecords + 1);
  EXPECT_FALSE(process.flusher.has_unwritten_views());
  process.flusher.flush();
  EXPECT_EQ(sent_sequences(), (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_EQ(stored(), 2 * ViewJournal::kMaxRecords + 1);
}

TEST_F(ViewFlusherTest, AddsAsManyPiecesAsTimeAllowsAndTheRestLater) {
  Process process(*this);
  process.count_items(2 * ViewJournal::kMaxRecords + 1);
  activity_.on_add = [&] { clock_.advance(std::chrono::seconds(1)); };
  process.flusher.flush();
  EXPECT_EQ(sent_sequences(), (std::vector<std::uint64_t>{1, 2})) << "the second one began in time";
  EXPECT_FALSE(process.flusher.last_flush_failed());
  EXPECT_EQ(process.views.revision(), 2U) << "totals are read nevertheless";
  process.flusher.flush();
  EXPECT_EQ(sent_sequences(), (std::vector<std::uint64_t>{1, 2, 3}));
}

TEST_F(ViewFlusherTest, LeavesViewsWrittenMeanwhileToTheNextFlush) {
  Process process(*this);
  process.count_items(1);
  activity_.on_add = [&] { process.count_items(1); };
  process.flusher.flush();
  EXPECT_EQ(sent_sequences(), (std::vector<std::uint64_t>{1}));
}

TEST_F(ViewFlusherTest, SendsNoPieceAfterAFailedOne) {
  Process process(*this);
  process.count_items(2 * ViewJournal::kMaxRecords + 1);
  activity_.on_add = [&] { activity_.unavailable = true; };
  process.flusher.flush();
  EXPECT_TRUE(process.flusher.last_flush_failed());
  activity_.on_add = {};
  activity_.unavailable = false;
  process.flusher.flush();
  EXPECT_EQ(sent_sequences(), (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_EQ(stored(), 2 * ViewJournal::kMaxRecords + 1);
}

TEST_F(ViewFlusherTest, SendsEachPieceLeftByACrashOnceAndInOrder) {
  {
    Process killed(*this);
    killed.count_items(2 * ViewJournal::kMaxRecords + 1);
    activity_.answers_lost = true;
    killed.flusher.flush();
    activity_.answers_lost = false;
  }
  Process next(*this);
  ASSERT_TRUE(next.flusher.recover());
  EXPECT_EQ(sent_sequences(), (std::vector<std::uint64_t>{1, 1, 2, 3})) << "the response to the first one was lost";
  EXPECT_EQ(stored(), 2 * ViewJournal::kMaxRecords + 1);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(ViewFlusherTest, StartsBeforeTheBacklogIsAddedAndAddsItFirst) {
  {
    Process killed(*this);
    killed.count_items(2 * ViewJournal::kMaxRecords + 1);
  }
  Process next(*this);
  next.next_item = 1'000'000;
  activity_.on_add = [&] { clock_.advance(std::chrono::seconds(1)); };
  ASSERT_TRUE(next.flusher.recover());
  EXPECT_EQ(sent_sequences(), (std::vector<std::uint64_t>{1, 2}));
  next.count_items(1);
  next.views.count("0");  // like the killed process
  next.flusher.write_journal();
  EXPECT_EQ(next.views.views_of("0"), 2U);
  next.flusher.flush();
  EXPECT_EQ(sent_sequences(), (std::vector<std::uint64_t>{1, 2, 3, 1}));
  EXPECT_EQ(stored(), 2 * ViewJournal::kMaxRecords + 3);
  EXPECT_EQ(next.views.views_of("0"), 2U);
}

TEST_F(ViewFlusherTest, WritesAllViewsOnceAfterALongDiskFailure) {
  Process process(*this);
  const std::filesystem::path folder = folder_.path();
  std::filesystem::remove_all(folder);
  for (int round = 0; round < 3; ++round) {
    process.count_items(ViewJournal::kMaxRecords);
    process.next_item = 0;  // count the same items again
    EXPECT_TRUE(process.flusher.has_unwritten_views());
  }
  std::filesystem::create_directory(folder);
  process.flusher.write_journal();
  EXPECT_FALSE(process.flusher.has_unwritten_views());
  process.flusher.flush();
  EXPECT_EQ(sent_sequences(), (std::vector<std::uint64_t>{1}))
      << "an item is written once a day, however often it was viewed";
  EXPECT_EQ(stored(), 3 * ViewJournal::kMaxRecords);
}

TEST_F(ViewFlusherTest, WritesTheJournalWhileTheStoreIsSlow) {
  Process process(*this);
  process.views.count("a");
  process.flusher.write_journal();
  bool is_written = false;
  activity_.on_add = [&] {
    process.views.count("b");
    process.flusher.write_journal();
    is_written = !process.flusher.has_unwritten_views();
  };
  process.flusher.flush();
  EXPECT_TRUE(is_written);
  EXPECT_EQ(stored("a"), 1U);
  activity_.on_add = {};
  process.flusher.flush();
  EXPECT_EQ(stored("b"), 1U);
}

TEST_F(ViewFlusherTest, WaitsAtMostFiveSecondsForAStore) {
  Process process(*this);
  process.count("a");
  EXPECT_EQ(activity_.deadline, clock_.steady() + std::chrono::seconds(5));
}

TEST_F(ViewFlusherTest, LogsOnceThatTheJournalCannotBeWrittenAlthoughTheStoreAnswers) {
  Process process(*this);
  std::filesystem::remove_all(folder_.path());
  for (int round = 0; round < 3; ++round) process.count("a");
  EXPECT_EQ(log_.events, 1);
}

TEST_F(ViewFlusherTest, ReportsWhetherTheJournalHasEveryView) {
  Process process(*this);
  std::filesystem::remove_all(folder_.path());
  process.views.count("a");
  process.flusher.write_journal();
  EXPECT_TRUE(process.flusher.has_unwritten_views());
  std::filesystem::create_directories(folder_.path());
  process.flusher.write_journal();
  EXPECT_FALSE(process.flusher.has_unwritten_views());
}

TEST_F(ViewFlusherTest, ReadsTheViewsOfAnotherServer) {
  Process own(*this), other(*this);
  own.views.count("a");
  other.views.count("a");
  other.flusher.write_journal();
  other.flusher.flush();
  own.flusher.write_journal();
  own.flusher.flush();
  EXPECT_EQ(own.views.views_of("a"), 2U);
}

TEST_F(ViewFlusherTest, CountsAViewOnItsDay) {
  Process process(*this);
  const model::Day first = model::day_of(clock_.now());
  process.views.count("a");
  clock_.advance(std::chrono::hours(24));
  process.views.count("a");
  process.flusher.write_journal();
  process.flusher.flush();
  std::map<model::Day, std::uint64_t> days;
  ASSERT_TRUE(activity_.days(call_, [&](const ports::ViewIncrement& row) {
    days[row.day] = row.views;
    return Visit::Continue;
  }));
  EXPECT_EQ(days, (std::map<model::Day, std::uint64_t>{{first, 1}, {first + std::chrono::days(1), 1}}));
}

TEST_F(ViewFlusherTest, SendsTheIndexAllViewsOnceAndThenChanges) {
  Process process(*this);
  for (const char* item : {"a", "b", "c"}) process.views.count(item);
  process.flusher.write_journal();
  process.flusher.flush();
  process.publisher.publish();
  EXPECT_EQ(index_.received, 3U);
  process.views.count("b");
  process.flusher.write_journal();
  process.flusher.flush();
  process.publisher.publish();
  EXPECT_EQ(index_.received, 4U);
  EXPECT_EQ(index_.views, (std::map<std::string, std::uint64_t>{{"a", 1}, {"b", 2}, {"c", 1}}));
}

TEST_F(ViewFlusherTest, SendsAllViewsToAnotherIndexAgain) {
  Process process(*this);
  process.views.count("a");
  process.flusher.write_journal();
  process.flusher.flush();
  process.publisher.publish();
  index_ = CounterIndex();
  process.publisher.publish();
  EXPECT_EQ(index_.views.at("a"), 1U);
}

TEST_F(ViewFlusherTest, SendsAnIndexThatIsAheadOfItsStoreAllViews) {
  Process process(*this);
  process.count("a");
  process.count("b");
  index_.views_revision = 1000;
  process.publisher.publish();
  EXPECT_EQ(index_.views, (std::map<std::string, std::uint64_t>{{"a", 1}, {"b", 1}}));
}

TEST_F(ViewFlusherTest, SendsTheIndexNothingAfterStop) {
  Process process(*this);
  process.count("a");
  process.publisher.stop();
  process.publisher.publish();
  EXPECT_EQ(index_.received, 0U);
  EXPECT_EQ(log_.events, 0);
}

TEST_F(ViewFlusherTest, SendsTheIndexAllViewsAgainAfterAFailure) {
  Process process(*this);
  process.count("a");
  process.publisher.publish();
  process.count("b");
  index_.is_unavailable = true;
  process.publisher.publish();
  index_.is_unavailable = false;
  process.publisher.publish();
  EXPECT_EQ(index_.views, (std::map<std::string, std::uint64_t>{{"a", 1}, {"b", 1}}));
}

TEST_F(ViewFlusherTest, SendsViewsToALaggingIndexEveryTenthTime) {
  index_.supported.popularity_lag = true;
  Process process(*this);
  process.count("a");
  process.publisher.publish();
  process.count("b");
  for (int i = 0; i < 9; ++i) process.publisher.publish();
  EXPECT_EQ(index_.received, 1U);
  process.publisher.publish();
  EXPECT_EQ(index_.received, 2U);
}

TEST_F(ViewFlusherTest, SendsASharedIndexUnderItsLeaseWhatNoOtherServerSent) {
  tests::LeasingStore leases(clock_);
  tests::SharedIndex shared;
  const auto lease = [&] {
    return std::move(IndexWriteLease::make({leases.port(), shared.port(), clock_, random_})).value();
  };
  const auto my_lease = lease();
  const auto other_lease = lease();
  Process own(*this, my_lease.get()), other(*this, other_lease.get());
  own.count("a");
  other.flusher.flush();
  {
    const auto held = other_lease->acquire(call_);
    ASSERT_TRUE(held);
    own.publisher.publish();
    EXPECT_EQ(index_.received, 0U) << "another server holds the lease";
  }
  own.publisher.publish();
  other.publisher.publish();
  EXPECT_EQ(index_.received, 1U) << "one server is enough";
  other.count("a");
  other.publisher.publish();
  EXPECT_EQ(index_.views.at("a"), 2U);
}

TEST_F(ViewFlusherTest, SendsASharedIndexViewsInPartsBetweenOtherLeases) {
  tests::LeasingStore leases(clock_);
  tests::SharedIndex shared;
  const auto lease = std::move(IndexWriteLease::make({leases.port(), shared.port(), clock_, random_})).value();
  index_.supported.popularity_lag = true;
  constexpr std::size_t kItems = ViewPublisher::kMaxItemsPerLease + 1;
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < kItems; ++i) ids.push_back(std::to_string(i));
  std::vector<ports::ViewIncrement> increments;
  for (const std::string& id : ids) increments.push_back({id, model::day_of(clock_.now()), 1});
  ASSERT_TRUE(activity_.store.add(call_, {}, 1, increments));
  Process process(*this, lease.get());
  process.flusher.flush();

  process.publisher.publish();
  EXPECT_EQ(index_.received, ViewPublisher::kMaxItemsPerLease);
  EXPECT_EQ(index_.views_revision, 0U) << "it does not have all of them yet";
  EXPECT_EQ(leases.owner(), "") << "new items are published sooner than views";
  process.publisher.publish();
  EXPECT_EQ(index_.received, kItems);
  EXPECT_EQ(index_.views_revision, process.views.revision());
}

TEST_F(ViewFlusherTest, RestartsASharedIndexThatHasLessThanAtTheStart) {
  tests::LeasingStore leases(clock_);
  tests::SharedIndex shared;
  const auto lease = std::move(IndexWriteLease::make({leases.port(), shared.port(), clock_, random_})).value();
  Process process(*this, lease.get());
  process.count("a");
  process.publisher.publish();
  std::vector<std::string> ids;
  for (std::size_t i = 0; i <= ViewPublisher::kMaxItemsPerLease; ++i) ids.push_back(std::to_string(i));
  std::vector<ports::ViewIncrement> increments;
  for (const std::string& id : ids) increments.push_back({id, model::day_of(clock_.now()), 1});
  ASSERT_TRUE(activity_.store.add(call_, {}, 1, increments));
  process.flusher.flush();
  process.publisher.publish();
  index_ = CounterIndex();  // like a batch of another server, which has no counted views
  process.publisher.publish();
  process.publisher.publish();
  EXPECT_EQ(index_.views.size(), ids.size() + 1) << "and a";
  EXPECT_EQ(index_.views_revision, process.views.revision());
}

TEST_F(ViewFlusherTest, CountsViewsForTheCurrentCategoryOfAnItem) {
  Process process(*this);
  put_item("a", "old");
  process.views.count("a");
  process.views.count("gone");
  process.flusher.write_journal();
  process.flusher.flush();
  process.publisher.publish();
  EXPECT_EQ(by_category(process.views), (std::map<std::string, std::uint64_t>{{"old", 1}}));
  put_item("a", "new");
  process.publisher.publish();
  EXPECT_EQ(by_category(process.views), (std::map<std::string, std::uint64_t>{{"new", 1}}));
}

TEST_F(ViewFlusherTest, ReadsCategoriesOfNewlyViewedItemsAndRarelyOfAll) {
  using trompeloeil::_;
  tests::MockItemStore items;
  model::Revision content = 1;
  std::vector<std::size_t> batch_sizes;
  const auto read_summaries = [&](std::size_t size) {
    batch_sizes.push_back(size);
    clock_.advance(std::chrono::seconds(2));
    return Status();
  };
  ALLOW_CALL(items, revision(_)).LR_RETURN(content);
  ALLOW_CALL(items, summaries(_, _, _)).LR_RETURN(read_summaries(_2.size()));
  Process process(*this);
  ViewPublisher publisher({process.views, activity_, items, index_, clock_, log_});
  for (const char* item : {"a", "b", "c"}) process.count(item);
  publisher.publish();
  EXPECT_EQ(batch_sizes, (std::vector<std::size_t>{3}));
  process.count("b");
  publisher.publish();
  EXPECT_EQ(batch_sizes, (std::vector<std::size_t>{3, 1}));
  content = 2;
  publisher.publish();
  EXPECT_EQ(batch_sizes, (std::vector<std::size_t>{3, 1})) << "it would take too long";
  clock_.advance(std::chrono::seconds(16));
  publisher.publish();
  EXPECT_EQ(batch_sizes, (std::vector<std::size_t>{3, 1, 3}));
  publisher.publish();
  EXPECT_EQ(batch_sizes.size(), 3U) << "there is nothing new";
}

}  // namespace
}  // namespace kbase::runtime
