// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/view_flusher.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace kbase::runtime {
namespace {

/// After this time no further segment is started: in a flush, the last segment and the totals must finish before
/// kTimeout; at startup, a long delay is not acceptable.
constexpr std::chrono::seconds kTimeToBegin{2};

template <class Increments>
std::vector<ports::ViewIncrement> views_of(const Increments& increments) {
  std::vector<ports::ViewIncrement> views;
  for (const auto& increment : increments) views.push_back({increment.item, increment.day, increment.views});
  return views;
}

}  // namespace

model::Status ViewFlusher::recover() {
  auto segments = journal_.leftovers();
  if (!segments) return segments.error();
  leftovers_.assign(std::make_move_iterator(segments->begin()), std::make_move_iterator(segments->end()));
  ports::Call call;
  if (auto added = add_leftovers(call, parts_.clock.steady() + kTimeToBegin); !added) return added;
  return read_totals(call);
}

model::Status ViewFlusher::add_leftovers(ports::Call& call, ports::Call::SteadyTime until) {
  while (!leftovers_.empty() && parts_.clock.steady() < until) {
    if (auto added = add(call, leftovers_.front()); !added) return added;
    leftovers_.pop_front();
  }
  return {};
}

/// Writes in chunks, because much may have accumulated in memory while the disk was full.
void ViewFlusher::write_journal() {
  for (bool is_more = true; is_more;) {
    const auto piece = parts_.views.take_new(ViewJournal::kMostRecords);
    is_more = piece.size() == ViewJournal::kMostRecords;
    const std::lock_guard lock(journal_mutex_);
    if (const auto written = journal_.append(views_of(piece)); !written) {
      parts_.views.give_back(piece);
      return writing_.begins(parts_.log, written.error(), "views wait in memory");
    }
  }
  writing_.in_trouble = false;
}

void ViewFlusher::flush() {
  ports::Call call;
  call.deadline = parts_.clock.steady() + kTimeout;
  if (const auto added = add_waiting(call); !added)
    return flushing_.begins(parts_.log, added.error(), "views wait in the journal");
  if (const auto read = read_totals(call); !read)
    return flushing_.begins(parts_.log, read.error(), "views of other servers are not known");
  flushing_.in_trouble = false;
}

/// Adds the journal's segments, oldest first, until the time is up.
model::Status ViewFlusher::add_waiting(ports::Call& call) {
  const auto until = parts_.clock.steady() + kTimeToBegin;
  if (auto added = add_leftovers(call, until); !added || !leftovers_.empty()) return added;
  std::unique_lock lock(journal_mutex_);
  // Segments begun later wait for the next flush; otherwise a slow store would never get to read its totals.
  const std::uint64_t last = journal_.newest();
  while (const auto segment = journal_.oldest()) {
    lock.unlock();
    if (auto added = add(call, *segment); !added) return added;
    if (segment->sequence == last || parts_.clock.steady() >= until) break;
    lock.lock();
  }
  return {};
}

/// Loads only one segment into memory at a time.
model::Status ViewFlusher::add(ports::Call& call, const ViewJournal::Segment& segment) {
  const auto stored = ViewJournal::read(segment);
  if (!stored) return stored.error();
  const auto increments = views_of(*stored);
  if (auto added = parts_.activity.add(call, segment.journal, segment.sequence, increments); !added) return added;
  const std::lock_guard lock(journal_mutex_);
  // The views of earlier processes arrive in memory with the totals.
  if (segment.journal == journal_.id()) parts_.views.mark_stored(increments);
  journal_.discard(segment);
  return {};
}

model::Status ViewFlusher::read_totals(ports::Call& call) {
  const auto revision = parts_.activity.totals(call, known_revision_, [this](const ports::ItemViews& row) {
    parts_.views.set_stored(row.item, row.views);
    return model::Visit::Continue;
  });
  if (!revision) return revision.error();
  known_revision_ = *revision;
  parts_.views.set_revision(*revision);
  return {};
}

void ViewFlusher::Trouble::begins(ports::EventLog& log, const model::Error& error, std::string_view doing) {
  if (std::exchange(in_trouble, true)) return;
  const std::string& cause = error.detail.empty() ? error.message : error.detail;
  const ports::LogField fields[] = {{"cause", cause}};
  log.log(ports::LogLevel::Warning, "views.waiting", doing, fields);
}

}  // namespace kbase::runtime
