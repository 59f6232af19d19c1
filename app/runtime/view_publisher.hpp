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

/// Tells the index and the statistics the views that the activity store has (architecture: data flow 4). By a thread of
/// its own: an index may be slow or away, which must hold up no journal.
class ViewPublisher {
 public:
  /// What it works on outlives it.
  struct Parts {
    CountedViews& views;
    ports::ActivityStore& activity;
    ports::ItemStore& items;
    ports::SearchIndex& index;
    const ports::Clock& clock;
    ports::EventLog& log;
    FeedingLease* lease = nullptr;  ///< the right to write an index that several servers share; null: nobody else does
  };
  explicit ViewPublisher(const Parts& parts) : parts_(parts) {}

  /// How many items' views an index that several servers share is told at once: what follows waits for the next time,
  /// so that new items need not.
  static constexpr std::size_t kMostAtOnce = 10'000;

  /// Does what there is to do now; every two seconds. An index whose popularity may lag is told every tenth time. One
  /// thread.
  void publish();

  /// Ends what is under way soon, and for good. Any thread.
  void stop() noexcept { stopping_ = true; }

 private:
  /// What the index does not have yet.
  struct Untold {
    std::vector<std::pair<std::string, std::uint64_t>> totals;
    std::size_t told = 0;            // of them, so far
    model::ViewsRevision since = 0;  // what the index had when they were read
    model::ViewsRevision up_to = 0;  // what it has when it was told all
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
    ports::Call::SteadyTime next{};  // when all may be looked at again
  } categories_of_;                  // the revisions that the categories' views were found on
  bool in_trouble_ = false;
  std::atomic<bool> stopping_ = false;
};

}  // namespace kbase::runtime
