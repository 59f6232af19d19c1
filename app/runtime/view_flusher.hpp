// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/runtime/counted_views.hpp"
#include "app/runtime/view_journal.hpp"
#include "ports/driven/event_log.hpp"
#include "ports/driven/item_store.hpp"
#include "ports/driven/search_index.hpp"

namespace kbase::runtime {

/// Carries counted views from memory to the journal, the activity store, and the index (architecture: data flow 4).
/// One thread at a time.
class ViewFlusher {
 public:
  /// What it works on outlives it.
  struct Parts {
    CountedViews& views;
    ports::ActivityStore& activity;
    ports::ItemStore& items;
    ports::SearchIndex& index;
    ports::EventLog& log;
  };
  ViewFlusher(const Parts& parts, ViewJournal journal) : parts_(parts), journal_(std::move(journal)) {}

  /// Adds what earlier processes left and reads all totals. Before the first request is served.
  model::Status recover();

  /// Writes the newest views to the journal: from then on they survive this process.
  void write_journal();

  /// Brings the activity store up to date, and memory up to what other servers counted. A store that is away is asked
  /// again at the next call; the journal keeps what it misses.
  void flush();

  /// Whether something failed since the last flush that did not.
  bool is_in_trouble() const noexcept { return in_trouble_; }

  /// Whether there are views that not even the journal has, and that end with this process.
  bool has_unwritten() const noexcept { return !unwritten_.empty(); }

  /// Tells the index and the statistics the totals as they are now.
  void publish();

 private:
  model::Status add(const ViewJournal::Segment& segment);
  model::Status read_totals();
  void publish_to_index();
  void publish_categories();
  void say(const model::Error& error, std::string_view doing);

  Parts parts_;
  ViewJournal journal_;
  std::vector<CountedViews::Increment> unwritten_;  // the journal's disk did not take them yet
  std::optional<ViewJournal::Segment> sealed_;      // waits for the store
  model::ViewsRevision known_revision_ = 0;         // of the store, up to which memory has its totals
  model::ViewsRevision index_revision_ = 0;         // last told to the index
  struct {
    model::Revision content = 0;
    model::ViewsRevision views = 0;
  } categories_of_;  // the revisions that the categories' views were found on
  bool in_trouble_ = false;
};

}  // namespace kbase::runtime
