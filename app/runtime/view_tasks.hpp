// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/runtime/index_follower.hpp"
#include "app/runtime/log_throttle.hpp"
#include "app/runtime/view_journal.hpp"
#include "domain/base/text.hpp"
#include "ports/driven/activity_store.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/event_log.hpp"
#include "ports/driven/item_store.hpp"
#include "ports/driven/search_index.hpp"
#include "ports/driven/server_state.hpp"

namespace kbase::runtime {

/// View counts in memory: for each item the total last read from the activity store, plus the views counted by this
/// process since. Thread-safe.
class CountedViews final : public ports::ViewCounter {
 public:
  struct Increment {
    std::string item;
    model::Day day;
    std::uint64_t views = 0;
  };

  /// `clock` must outlive this object.
  explicit CountedViews(const ports::Clock& clock) : clock_(clock) {}

  void count(std::string_view item) override;
  std::uint64_t views_of(std::string_view item) const override;
  void by_category(Visitor<ports::CategoryViews> visitor) const override;
  model::ViewsRevision revision() const override { return revision_.load(std::memory_order_acquire); }

  // The functions below are for the code that writes the views to the store and the index.

  /// Removes and returns at most `limit` of the new views, summed by item and day, for writing to the journal.
  std::vector<Increment> pop_new(std::size_t limit);

  /// Puts back increments that could not be written. The next pop_new() returns them again.
  void push_back_new(const std::vector<Increment>& increments);

  /// Marks increments from pop_new() as written to the store. They count as stored until set_stored() replaces the
  /// total.
  void mark_stored(std::span<const ports::ViewIncrement> increments);

  /// Sets an item's total as read from the store.
  void set_stored(std::string_view item, std::uint64_t total);

  /// Sets the store revision up to which all totals have been set.
  void set_revision(model::ViewsRevision revision) { revision_.store(revision, std::memory_order_release); }

  /// Returns the ids of all items with stored views.
  std::vector<std::string> list_viewed_items() const;

  /// Adds the item's current stored views to `category` and removes them from its previous category. Empty: no
  /// category.
  void set_category(std::string_view item, std::string_view category);

 private:
  struct Entry {
    std::uint64_t stored = 0;
    std::uint64_t unstored = 0;
    std::uint64_t* category = nullptr;  // points into categories_
    std::uint64_t in_category = 0;      // stored views that are included in *category
  };
  using Entries = TextMap<Entry>;

  Entry& find_or_create_entry(std::string_view item);

  const ports::Clock& clock_;
  mutable std::mutex mutex_;
  Entries entries_;
  std::map<std::pair<model::Day, std::string>, std::uint64_t> unwritten_;
  std::map<std::string, std::uint64_t> categories_;
  std::atomic<model::ViewsRevision> revision_{0};
};

/// Moves counted views from memory to the journal and from there to the activity store (architecture: data flow 4). One
/// thread writes the journal and another the store, so that a store that hangs does not delay the journal.
class ViewFlusher {
 public:
  /// All members must outlive the flusher.
  struct Dependencies {
    CountedViews& views;
    ports::ActivityStore& activity;
    const ports::Clock& clock;
    ports::EventLog& log;
  };
  ViewFlusher(const Dependencies& deps, ViewJournal journal) : deps_(deps), journal_(std::move(journal)) {}

  /// Adds the segments that earlier processes left, as many as fit into two seconds, and reads all totals. Call it
  /// before the first request is served.
  Status recover();

  /// Writes the newest views to the journal, after which they survive the process. One thread at a time.
  void write_journal();

  /// Writes the journal's segments to the activity store, and reads the totals that other servers counted. If the store
  /// is unavailable or slower than kTimeout, the journal keeps the rest for the next call. One call writes only as many
  /// segments as time allows. One thread at a time.
  void flush();

  /// Returns true if the last flush failed. For the flushing thread only.
  bool last_flush_failed() const noexcept { return store_failures_.is_active(); }

  /// Returns true if the last write_journal() failed, so that some views exist only in memory and end with this
  /// process. For the thread that writes the journal.
  bool has_unwritten_views() const noexcept { return journal_failures_.is_active(); }

  static constexpr std::chrono::seconds kTimeout{5};

 private:
  Status add_leftovers(ports::Call& call, ports::Call::SteadyTime until);
  Status add_segments(ports::Call& call);
  Status add_segment(ports::Call& call, const ViewJournal::Segment& segment);
  Status read_totals(ports::Call& call);

  Dependencies deps_;
  std::mutex journal_mutex_;  // held for journal operations, never during a call to the store
  ViewJournal journal_;
  std::deque<ViewJournal::Segment> leftovers_;  // segments of earlier processes not yet added to the store
  model::ViewsRevision known_revision_ = 0;     // store revision of the totals in memory
  FailureStreak journal_failures_{"views.waiting"};
  FailureStreak store_failures_{"views.waiting"};
};

/// Publishes the stored view counts to the index and the statistics (architecture: data flow 4). Runs on its own
/// thread, so that a slow or unavailable index does not delay the journal.
class ViewPublisher {
 public:
  /// All members must outlive the publisher.
  struct Dependencies {
    CountedViews& views;
    ports::ActivityStore& activity;
    ports::ItemStore& items;
    ports::SearchIndex& index;
    const ports::Clock& clock;
    ports::EventLog& log;
    IndexWriteLease* lease = nullptr;  ///< lease to write a shared index; null: the index is not shared
  };
  explicit ViewPublisher(const Dependencies& deps) : deps_(deps) {}

  /// Maximum number of items whose views are written to a shared index under one lease. The rest waits for the next
  /// call, so that new items are not delayed.
  static constexpr std::size_t kMaxItemsPerLease = 10'000;

  /// Publishes what has changed; to be called every two seconds. An index that allows popularity to lag is written
  /// every tenth time. One thread at a time.
  void publish();

  /// Cancels the work in progress and all later work. Thread-safe.
  void stop() noexcept { stopping_ = true; }

 private:
  /// Totals that the index does not have yet.
  struct PendingTotals {
    std::vector<std::pair<std::string, std::uint64_t>> totals;
    std::size_t written = 0;         // number of totals already written
    model::ViewsRevision since = 0;  // the index's revision when the totals were read
    model::ViewsRevision up_to = 0;  // the index's revision after the last total is written
  };

  bool is_index_due();
  bool needs_views(const Result<ports::IndexState>& index) const;
  Status publish_to_index();
  Status write_index(ports::Call& call);
  Status read_pending(ports::Call& call, model::ViewsRevision since);
  Status publish_categories();
  Status refresh_all_categories(ports::Call& call, model::Revision content);
  Status refresh_changed_categories(ports::Call& call);
  Status refresh_categories(ports::Call& call, std::span<const std::string> items);

  Dependencies deps_;
  unsigned publishes_ = 0;
  PendingTotals pending_;
  struct {
    model::Revision content = 0;
    model::ViewsRevision views = 0;
    ports::Call::SteadyTime next{};  // earliest time of the next full scan
  } category_state_;                 // revisions on which the categories' views are based
  FailureStreak failures_{"views.waiting"};
  std::atomic<bool> stopping_ = false;
};

}  // namespace kbase::runtime
