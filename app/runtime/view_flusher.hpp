// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <deque>
#include <mutex>

#include "app/runtime/counted_views.hpp"
#include "app/runtime/view_journal.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/event_log.hpp"

namespace kbase::runtime {

/// Moves counted views from memory to the journal and from there to the activity store (architecture: data flow 4). One
/// thread writes the journal and another the store, so that a store that hangs does not delay the journal.
class ViewFlusher {
 public:
  /// All members must outlive the flusher.
  struct Parts {
    CountedViews& views;
    ports::ActivityStore& activity;
    const ports::Clock& clock;
    ports::EventLog& log;
  };
  ViewFlusher(const Parts& parts, ViewJournal journal) : parts_(parts), journal_(std::move(journal)) {}

  /// Adds the segments that earlier processes left, as many as fit into two seconds, and reads all totals. Call it
  /// before the first request is served.
  model::Status recover();

  /// Writes the newest views to the journal, after which they survive the process. One thread at a time.
  void write_journal();

  /// Writes the journal's segments to the activity store, and reads the totals that other servers counted. If the store
  /// is unavailable or slower than kTimeout, the journal keeps the rest for the next call. One call writes only as many
  /// segments as time allows. One thread at a time.
  void flush();

  /// Returns true if the last flush failed. For the flushing thread only.
  bool is_in_trouble() const noexcept { return flushing_.in_trouble; }

  /// Returns true if the last write_journal() failed, so that some views exist only in memory and end with this
  /// process. For the thread that writes the journal.
  bool has_unwritten() const noexcept { return writing_.in_trouble; }

  static constexpr std::chrono::seconds kTimeout{5};

 private:
  /// Consecutive failures, of which only the first is logged, because the work is retried several times a second.
  struct Trouble {
    bool in_trouble = false;
    void begins(ports::EventLog& log, const model::Error& error, std::string_view doing);
  };

  model::Status add_leftovers(ports::Call& call, ports::Call::SteadyTime until);
  model::Status add_waiting(ports::Call& call);
  model::Status add(ports::Call& call, const ViewJournal::Segment& segment);
  model::Status read_totals(ports::Call& call);

  Parts parts_;
  std::mutex journal_mutex_;  // held for journal operations, never during a call to the store
  ViewJournal journal_;
  std::deque<ViewJournal::Segment> leftovers_;  // segments of earlier processes not yet added to the store
  model::ViewsRevision known_revision_ = 0;     // store revision of the totals in memory
  Trouble writing_, flushing_;
};

}  // namespace kbase::runtime
