// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/view_flusher.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <tuple>
#include <utility>

namespace kbase::runtime {
namespace {

/// No segment is begun later in a flush: the last one and the totals have to end before kPatience does. Nor in a start,
/// which nobody wants to wait for.
constexpr std::chrono::seconds kTimeToBegin{2};

/// Of a disk that takes nothing, so many increments may wait before they are added up.
constexpr std::size_t kMostUnsorted = 10'000;

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

void ViewFlusher::write_journal() {
  auto taken = parts_.views.take_new();
  unwritten_.insert(unwritten_.end(), std::make_move_iterator(taken.begin()), std::make_move_iterator(taken.end()));
  if (const auto written = append_unwritten(); !written) {
    add_up_unwritten();
    return writing_.begins(parts_.log, written.error(), "views wait in memory");
  }
  writing_.in_trouble = false;
}

/// Piece by piece, as much of it may wait where the disk was full. What was written is forgotten here, whatever becomes
/// of the rest.
model::Status ViewFlusher::append_unwritten() {
  std::span<const CountedViews::Increment> rest = unwritten_;
  model::Status appended;
  while (appended && !rest.empty()) {
    const auto piece = rest.first(std::min(rest.size(), ViewJournal::kMostRecords));
    const auto views = views_of(piece);
    const std::lock_guard lock(journal_mutex_);
    if (appended = journal_.append(views); appended) rest = rest.subspan(piece.size());
  }
  unwritten_.erase(unwritten_.begin(), unwritten_.end() - static_cast<std::ptrdiff_t>(rest.size()));
  return appended;
}

/// So that memory holds an item once a day, however long the disk takes nothing.
void ViewFlusher::add_up_unwritten() {
  if (unwritten_.size() < 2 * added_up_ || unwritten_.size() < kMostUnsorted) return;
  const auto key = [](const CountedViews::Increment& each) { return std::tie(each.day, each.item); };
  std::sort(unwritten_.begin(), unwritten_.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  std::size_t last = 0;
  for (std::size_t i = 1; i < unwritten_.size(); ++i)
    if (key(unwritten_[i]) == key(unwritten_[last]))
      unwritten_[last].views += unwritten_[i].views;
    else if (++last != i)
      unwritten_[last] = std::move(unwritten_[i]);
  unwritten_.resize(last + 1);
  added_up_ = unwritten_.size();
}

void ViewFlusher::flush() {
  ports::Call call;
  call.deadline = parts_.clock.steady() + kPatience;
  if (const auto added = add_waiting(call); !added)
    return flushing_.begins(parts_.log, added.error(), "views wait in the journal");
  if (const auto read = read_totals(call); !read)
    return flushing_.begins(parts_.log, read.error(), "views of other servers are not known");
  flushing_.in_trouble = false;
}

/// What the journal has by now, oldest first, as far as time allows.
model::Status ViewFlusher::add_waiting(ports::Call& call) {
  const auto until = parts_.clock.steady() + kTimeToBegin;
  if (auto added = add_leftovers(call, until); !added || !leftovers_.empty()) return added;
  std::unique_lock lock(journal_mutex_);
  // Views that are written meanwhile wait, or they would keep a slow store from telling its totals.
  const std::uint64_t last = journal_.newest();
  while (const auto segment = journal_.oldest()) {
    lock.unlock();
    if (auto added = add(call, *segment); !added) return added;
    if (segment->sequence == last || parts_.clock.steady() >= until) break;
    lock.lock();
  }
  return {};
}

/// Memory has one segment's views at a time, however many wait.
model::Status ViewFlusher::add(ports::Call& call, const ViewJournal::Segment& segment) {
  const auto stored = ViewJournal::read(segment);
  if (!stored) return stored.error();
  const auto increments = views_of(*stored);
  if (auto added = parts_.activity.add(call, segment.journal, segment.sequence, increments); !added) return added;
  const std::lock_guard lock(journal_mutex_);
  // Of what an earlier process counted, memory hears with the totals.
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
