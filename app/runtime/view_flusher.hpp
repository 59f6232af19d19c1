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

/// Carries counted views from memory to the journal and on to the activity store (architecture: data flow 4). The
/// journal is written by one thread, the store by another: one that hangs must not keep views from the disk.
class ViewFlusher {
 public:
  /// What it works on outlives it.
  struct Parts {
    CountedViews& views;
    ports::ActivityStore& activity;
    const ports::Clock& clock;
    ports::EventLog& log;
  };
  ViewFlusher(const Parts& parts, ViewJournal journal) : parts_(parts), journal_(std::move(journal)) {}

  /// Adds what earlier processes left, of much a part, and reads all totals. Before the first request is served.
  model::Status recover();

  /// Writes the newest views to the journal: from then on they survive this process. One thread.
  void write_journal();

  /// Brings the activity store up to date, and memory up to what other servers counted. A store that is away, or takes
  /// longer than kTimeout, is asked again at the next call; the journal keeps what it misses. Where that has become
  /// much, each call adds a part of it. One thread.
  void flush();

  /// Whether the last flush failed. The flushing thread.
  bool is_in_trouble() const noexcept { return flushing_.in_trouble; }

  /// Whether there are views that not even the journal has, and that end with this process. The journal's thread, after
  /// the last write_journal().
  bool has_unwritten() const noexcept { return writing_.in_trouble; }

  static constexpr std::chrono::seconds kTimeout{5};

 private:
  /// A row of failures, of which the first is said: the work is tried again several times a second.
  struct Trouble {
    bool in_trouble = false;
    void begins(ports::EventLog& log, const model::Error& error, std::string_view doing);
  };

  model::Status add_leftovers(ports::Call& call, ports::Call::SteadyTime until);
  model::Status add_waiting(ports::Call& call);
  model::Status add(ports::Call& call, const ViewJournal::Segment& segment);
  model::Status read_totals(ports::Call& call);

  Parts parts_;
  std::mutex journal_mutex_;  // held for what is done on the disk, never while the store is asked
  ViewJournal journal_;
  std::deque<ViewJournal::Segment> leftovers_;  // of earlier processes, that the store was not told yet
  model::ViewsRevision known_revision_ = 0;     // of the store, up to which memory has its totals
  Trouble writing_, flushing_;
};

}  // namespace kbase::runtime
