// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/runtime/counted_views.hpp"
#include "app/runtime/feeding_lease.hpp"
#include "ports/driven/event_log.hpp"
#include "ports/driven/item_store.hpp"
#include "ports/driven/search_index.hpp"

namespace kbase::runtime {

/// Publishes the stored view counts to the index and the statistics (architecture: data flow 4). Runs on its own
/// thread, so that a slow or unavailable index does not delay the journal.
class ViewPublisher {
 public:
  /// All members must outlive the publisher.
  struct Parts {
    CountedViews& views;
    ports::ActivityStore& activity;
    ports::ItemStore& items;
    ports::SearchIndex& index;
    const ports::Clock& clock;
    ports::EventLog& log;
    FeedingLease* lease = nullptr;  ///< lease to write a shared index; null: the index is not shared
  };
  explicit ViewPublisher(const Parts& parts) : parts_(parts) {}

  /// Maximum number of items whose views are written to a shared index under one lease. The rest waits for the next
  /// call, so that new items are not delayed.
  static constexpr std::size_t kMostAtOnce = 10'000;

  /// Publishes what has changed; to be called every two seconds. An index that allows popularity to lag is written
  /// every tenth time. One thread at a time.
  void publish();

  /// Cancels the work in progress and all later work. Thread-safe.
  void stop() noexcept { stopping_ = true; }

 private:
  /// Totals that the index does not have yet.
  struct Untold {
    std::vector<std::pair<std::string, std::uint64_t>> totals;
    std::size_t told = 0;            // number of totals already written
    model::ViewsRevision since = 0;  // the index's revision when the totals were read
    model::ViewsRevision up_to = 0;  // the index's revision after the last total is written
  };

  bool is_time_for_index();
  bool is_behind(const model::Result<ports::IndexState>& index) const;
  model::Status publish_to_index();
  model::Status tell_index(ports::Call& call);
  model::Status read_untold(ports::Call& call, model::ViewsRevision since);
  model::Status publish_categories();
  model::Status look_at_all(ports::Call& call, model::Revision content);
  model::Status look_at_changed(ports::Call& call);
  model::Status look_at(ports::Call& call, std::span<const std::string> items);
  void say(const model::Error& error, std::string_view doing);

  Parts parts_;
  unsigned publishes_ = 0;
  Untold untold_;
  struct {
    model::Revision content = 0;
    model::ViewsRevision views = 0;
    ports::Call::SteadyTime next{};  // earliest time of the next full scan
  } categories_of_;                  // revisions on which the categories' views are based
  bool in_trouble_ = false;
  std::atomic<bool> stopping_ = false;
};

}  // namespace kbase::runtime
