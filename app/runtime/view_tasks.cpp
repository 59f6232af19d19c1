// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/view_tasks.hpp"

#include <algorithm>
#include <iterator>

#include "domain/base/result.hpp"

namespace kbase::runtime {
namespace {

/// After this time no further segment is started: in a flush, the last segment and the totals must finish before
/// kTimeout; at startup, a long delay is not acceptable.
constexpr std::chrono::seconds kSegmentBudget{2};
/// Items per call that reads categories.
constexpr std::size_t kChunk = 500;
/// An index that allows lag is written every 20 s, so that with the time for writing the lag is below 30 s.
constexpr unsigned kPublishesPerIndexWrite = 10;
/// Pause after a full scan, in multiples of its duration.
constexpr int kScanPauseFactor = 9;

template <class Increments> std::vector<ports::ViewIncrement> to_increments(const Increments& increments) {
  std::vector<ports::ViewIncrement> views;
  for (const auto& increment : increments) views.push_back({increment.item, increment.day, increment.views});
  return views;
}

}  // namespace

Status ViewFlusher::recover() {
  auto segments = KBASE_TRY(journal_.find_leftover_segments());
  leftovers_.assign(std::make_move_iterator(segments.begin()), std::make_move_iterator(segments.end()));
  ports::Call call;
  KBASE_TRY(add_leftovers(call, deps_.clock.steady() + kSegmentBudget));
  return read_totals(call);
}

Status ViewFlusher::add_leftovers(ports::Call& call, ports::Call::SteadyTime until) {
  while (!leftovers_.empty() && deps_.clock.steady() < until) {
    KBASE_TRY(add_segment(call, leftovers_.front()));
    leftovers_.pop_front();
  }
  return {};
}

/// Writes in chunks, because much may have accumulated in memory while the disk was full.
void ViewFlusher::write_journal() {
  for (bool has_more = true; has_more;) {
    const auto batch = deps_.views.pop_new(ViewJournal::kMaxRecords);
    has_more = batch.size() == ViewJournal::kMaxRecords;
    const std::lock_guard lock(journal_mutex_);
    if (const auto written = journal_.append(to_increments(batch)); !written) {
      deps_.views.push_back_new(batch);
      return journal_failures_.record(deps_.log, "the view journal cannot be written; views wait in memory",
                                      written.error());
    }
  }
  journal_failures_.end();
}

void ViewFlusher::flush() {
  ports::Call call;
  call.deadline = deps_.clock.steady() + kTimeout;
  if (const auto added = add_segments(call); !added)
    return store_failures_.record(deps_.log, "views cannot be stored; they wait in the journal", added.error());
  if (const auto read = read_totals(call); !read)
    return store_failures_.record(deps_.log, "view totals cannot be read; views counted by other servers are not shown",
                                  read.error());
  store_failures_.end();
}

/// Adds the journal's segments, oldest first, until the time is up.
Status ViewFlusher::add_segments(ports::Call& call) {
  const auto until = deps_.clock.steady() + kSegmentBudget;
  if (auto added = add_leftovers(call, until); !added || !leftovers_.empty()) return added;
  std::unique_lock lock(journal_mutex_);
  // Segments begun later wait for the next flush; otherwise a slow store would never get to read its totals.
  const std::uint64_t last = journal_.open_sequence();
  while (const auto segment = journal_.close_oldest()) {
    lock.unlock();
    KBASE_TRY(add_segment(call, *segment));
    if (segment->sequence == last || deps_.clock.steady() >= until) break;
    lock.lock();
  }
  return {};
}

/// Loads only one segment into memory at a time.
Status ViewFlusher::add_segment(ports::Call& call, const ViewJournal::Segment& segment) {
  const auto stored = KBASE_TRY(ViewJournal::read(segment));
  const auto increments = to_increments(stored);
  KBASE_TRY(deps_.activity.add(call, segment.journal, segment.sequence, increments));
  const std::lock_guard lock(journal_mutex_);
  // The views of earlier processes arrive in memory with the totals.
  if (segment.journal == journal_.id()) deps_.views.mark_stored(increments);
  journal_.discard(segment);
  return {};
}

Status ViewFlusher::read_totals(ports::Call& call) {
  const auto revision = deps_.activity.totals(call, known_revision_, [this](const ports::ItemViews& row) {
    deps_.views.set_stored(row.item, row.views);
    return Visit::Continue;
  });
  if (!revision) return revision.error();
  known_revision_ = *revision;
  deps_.views.set_revision(*revision);
  return {};
}

void ViewPublisher::publish() {
  const auto indexed = is_index_due() ? publish_to_index() : Status();
  const auto categorized = publish_categories();
  if (stopping_) return;
  // A Conflict is not a failure: the other server releases the lease, and the next attempt is soon.
  if (!indexed && indexed.error().code != ErrorCode::Conflict)
    failures_.record(deps_.log, "the search index cannot be updated; it sorts by older view counts", indexed.error());
  else if (!categorized)
    failures_.record(deps_.log, "the views of categories cannot be updated; statistics show older counts",
                     categorized.error());
  else
    failures_.end();
}

bool ViewPublisher::is_index_due() {
  const bool is_partial = pending_.written < pending_.totals.size();
  return is_partial || !deps_.index.capabilities().popularity_lag || publishes_++ % kPublishesPerIndexWrite == 0;
}

/// Ignores an unreadable index: the index updater reports it.
bool ViewPublisher::needs_views(const Result<ports::IndexState>& index) const {
  if (!index || !index->complete) return false;
  const model::ViewsRevision known = deps_.views.revision();
  const bool index_is_newer = deps_.lease != nullptr && index->views_revision > known;
  return index->views_revision != known && !index_is_newer;
}

Status ViewPublisher::publish_to_index() {
  ports::Call call;
  call.cancel = &stopping_;
  if (!needs_views(deps_.index.state(call))) {
    pending_ = {};
    return {};
  }
  if (deps_.lease == nullptr) return write_index(call);
  const auto lease = deps_.lease->acquire(call);
  return lease ? write_index(call) : lease.error();
}

/// Writes the views counted since the index's revision, which this or another server set. With a shared index, requires
/// the lease, so that no other process changes it meanwhile.
Status ViewPublisher::write_index(ports::Call& call) {
  const auto index = deps_.index.state(call);
  if (!needs_views(index)) return {};
  if (pending_.written == pending_.totals.size() || pending_.since != index->views_revision)
    KBASE_TRY(read_pending(call, index->views_revision));
  const std::size_t left = pending_.totals.size() - pending_.written;
  const std::size_t limit = deps_.lease != nullptr ? kMaxItemsPerLease : left;
  const bool is_last = left <= limit;
  std::vector<ports::ItemViews> rows;
  for (std::size_t i = 0; i < std::min(limit, left); ++i) {
    const auto& [item, views] = pending_.totals[pending_.written + i];
    rows.push_back({item, views});
  }
  KBASE_TRY(deps_.index.set_views(call, rows, is_last ? pending_.up_to : pending_.since));
  pending_.written += rows.size();
  if (is_last) pending_ = {};
  return {};
}

/// If the index is ahead of the store, it has the views of a previous store; then all totals are read.
Status ViewPublisher::read_pending(ports::Call& call, model::ViewsRevision since) {
  pending_ = {};
  const model::ViewsRevision after = since > deps_.views.revision() ? 0 : since;
  const auto up_to = deps_.activity.totals(call, after, [&](const ports::ItemViews& row) {
    pending_.totals.emplace_back(row.item, row.views);
    return Visit::Continue;
  });
  if (!up_to) return up_to.error();
  pending_.since = since;
  pending_.up_to = *up_to;
  return {};
}

/// Assigns each item's views to its current category. New views require reading only the items that have them; new
/// content requires reading all items ever viewed. The full scan takes at most a tenth of the time.
Status ViewPublisher::publish_categories() {
  ports::Call call;
  call.cancel = &stopping_;
  const auto content = deps_.items.revision(call);
  if (!content) return {};
  const bool is_due = deps_.clock.steady() >= category_state_.next;
  return is_due && category_state_.content != *content ? refresh_all_categories(call, *content)
                                                       : refresh_changed_categories(call);
}

Status ViewPublisher::refresh_all_categories(ports::Call& call, model::Revision content) {
  const auto start = deps_.clock.steady();
  const model::ViewsRevision known = deps_.views.revision();
  KBASE_TRY(refresh_categories(call, deps_.views.list_viewed_items()));
  const auto end = deps_.clock.steady();
  category_state_ = {content, known, end + kScanPauseFactor * (end - start)};
  return {};
}

Status ViewPublisher::refresh_changed_categories(ports::Call& call) {
  const model::ViewsRevision known = deps_.views.revision();
  if (category_state_.views == known) return {};
  const model::ViewsRevision after = category_state_.views < known ? category_state_.views : 0;
  std::vector<std::string> items;
  const auto read = deps_.activity.totals(call, after, [&](const ports::ItemViews& row) {
    items.emplace_back(row.item);
    return Visit::Continue;
  });
  if (!read) return read.error();
  KBASE_TRY(refresh_categories(call, items));
  category_state_.views = known;
  return {};
}

Status ViewPublisher::refresh_categories(ports::Call& call, std::span<const std::string> items) {
  for (; !items.empty(); items = items.subspan(std::min(kChunk, items.size()))) {
    const auto chunk = items.first(std::min(kChunk, items.size()));
    const std::vector<std::string_view> ids(chunk.begin(), chunk.end());
    auto next = ids.begin();
    const auto found = deps_.items.summaries(call, ids, [&](const model::ItemSummaryView& item) {
      for (; next != ids.end() && *next != item.id; ++next) deps_.views.set_category(*next, {});
      if (next != ids.end()) deps_.views.set_category(*next++, item.category);
      return Visit::Continue;
    });
    if (!found) return found;
    for (; next != ids.end(); ++next) deps_.views.set_category(*next, {});
  }
  return {};
}

CountedViews::Entry& CountedViews::find_or_create_entry(std::string_view item) {
  const auto found = entries_.find(item);
  return found != entries_.end() ? found->second : entries_.emplace(item, Entry{}).first->second;
}

void CountedViews::count(std::string_view item) {
  const model::Day today = model::day_of(clock_.now());
  const std::lock_guard lock(mutex_);
  ++find_or_create_entry(item).unstored;
  ++unwritten_[{today, std::string(item)}];
}

std::uint64_t CountedViews::views_of(std::string_view item) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(item);
  return found == entries_.end() ? 0 : found->second.stored + found->second.unstored;
}

void CountedViews::by_category(Visitor<ports::CategoryViews> visitor) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [category, views] : categories_)
    if (views != 0 && visitor({category, {}, views}) == Visit::Stop) return;
}

std::vector<CountedViews::Increment> CountedViews::pop_new(std::size_t limit) {
  decltype(unwritten_) popped;
  {
    const std::lock_guard lock(mutex_);
    if (unwritten_.size() <= limit)
      popped.swap(unwritten_);
    else
      while (popped.size() < limit) popped.insert(popped.end(), unwritten_.extract(unwritten_.begin()));
  }
  std::vector<Increment> increments;
  for (const auto& [key, views] : popped) increments.push_back({key.second, key.first, views});
  return increments;
}

void CountedViews::push_back_new(const std::vector<Increment>& increments) {
  const std::lock_guard lock(mutex_);
  for (const Increment& increment : increments) unwritten_[{increment.day, increment.item}] += increment.views;
}

void CountedViews::mark_stored(std::span<const ports::ViewIncrement> increments) {
  const std::lock_guard lock(mutex_);
  for (const ports::ViewIncrement& increment : increments) {
    Entry& entry = find_or_create_entry(increment.item);
    entry.stored += increment.views;
    entry.unstored -= std::min(entry.unstored, increment.views);  // the journal file may hold any number
  }
}

void CountedViews::set_stored(std::string_view item, std::uint64_t total) {
  const std::lock_guard lock(mutex_);
  find_or_create_entry(item).stored = total;
}

std::vector<std::string> CountedViews::list_viewed_items() const {
  std::vector<std::string> items;
  const std::lock_guard lock(mutex_);
  for (const auto& [item, entry] : entries_)
    if (entry.stored != 0) items.push_back(item);
  return items;
}

void CountedViews::set_category(std::string_view item, std::string_view category) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(item);
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  if (entry.category != nullptr) *entry.category -= entry.in_category;
  entry.category = category.empty() ? nullptr : &categories_[std::string(category)];
  entry.in_category = entry.stored;
  if (entry.category != nullptr) *entry.category += entry.in_category;
}

}  // namespace kbase::runtime
