// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/view_flusher.hpp"

#include <algorithm>
#include <iterator>
#include <map>

namespace kbase::runtime {
namespace {

constexpr std::size_t kChunk = 500;  // items whose categories are asked for in one call

template <class Increments>
std::vector<ports::ViewIncrement> views_of(const Increments& increments) {
  std::vector<ports::ViewIncrement> views;
  for (const auto& increment : increments) views.push_back({increment.item, increment.day, increment.views});
  return views;
}

}  // namespace

model::Status ViewFlusher::recover() {
  const auto segments = journal_.leftovers();
  if (!segments) return segments.error();
  for (const ViewJournal::Segment& segment : *segments)
    if (auto added = add(segment); !added) return added;
  return read_totals();
}

void ViewFlusher::write_journal() {
  auto taken = parts_.views.take_new();
  unwritten_.insert(unwritten_.end(), std::make_move_iterator(taken.begin()), std::make_move_iterator(taken.end()));
  if (const auto written = journal_.append(views_of(unwritten_)); written)
    unwritten_.clear();
  else
    say(written.error(), "views wait in memory");
}

void ViewFlusher::flush() {
  if (!sealed_) {
    ViewJournal::Segment segment;
    const auto sealed = journal_.seal(segment);
    if (!sealed) return say(sealed.error(), "views wait in the journal");
    if (*sealed) sealed_ = std::move(segment);
  }
  if (sealed_) {
    if (const auto added = add(*sealed_); !added) return say(added.error(), "views wait in the journal");
    sealed_.reset();
  }
  if (const auto read = read_totals(); !read) return say(read.error(), "views of other servers are not known");
  in_trouble_ = false;
}

model::Status ViewFlusher::add(const ViewJournal::Segment& segment) {
  ports::Call call;
  const auto increments = views_of(segment.increments);
  if (auto added = parts_.activity.add(call, segment.journal, segment.sequence, increments); !added) return added;
  parts_.views.mark_stored(increments);
  ViewJournal::discard(segment);
  return {};
}

model::Status ViewFlusher::read_totals() {
  ports::Call call;
  const auto revision = parts_.activity.totals(call, known_revision_, [this](const ports::ItemViews& row) {
    parts_.views.set_stored(row.item, row.views);
    return model::Visit::Continue;
  });
  if (!revision) return revision.error();
  known_revision_ = *revision;
  parts_.views.set_revision(*revision);
  return {};
}

void ViewFlusher::publish() {
  publish_to_index();
  publish_categories();
}

void ViewFlusher::publish_to_index() {
  ports::Call call;
  const auto state = parts_.index.state(call);
  if (!state || !state->complete) return;
  // An index that knows less than it was told is a new one.
  const bool all = state->views_revision < index_revision_ || index_revision_ == 0;
  if (!all && index_revision_ == known_revision_) return;
  const auto changed = parts_.views.take_changed();
  const auto totals = all ? parts_.views.all_totals() : changed;
  std::vector<ports::ItemViews> rows;
  for (const auto& [item, views] : totals) rows.push_back({item, views});
  if (const auto set = parts_.index.set_views(call, rows, known_revision_); !set)
    return say(set.error(), "the index sorts by older views");
  index_revision_ = known_revision_;
}

/// An item's views count for the category it has now, so a change of either is reason to look again.
void ViewFlusher::publish_categories() {
  ports::Call call;
  const auto content = parts_.items.revision(call);
  if (!content || (categories_of_.content == *content && categories_of_.views == known_revision_)) return;
  const auto totals = parts_.views.all_totals();
  std::map<std::string, std::uint64_t> by_category;
  for (std::size_t first = 0; first < totals.size(); first += kChunk) {
    std::vector<std::string_view> ids;
    for (std::size_t i = first; i < std::min(first + kChunk, totals.size()); ++i) ids.push_back(totals[i].first);
    auto next = totals.begin() + static_cast<std::ptrdiff_t>(first);
    const auto found = parts_.items.summaries(call, ids, [&](const model::ItemSummaryView& item) {
      while (next->first != item.id) ++next;
      by_category[std::string(item.category)] += next->second;
      return model::Visit::Continue;
    });
    if (!found) return say(found.error(), "statistics show older views");
  }
  parts_.views.set_categories(std::move(by_category));
  categories_of_ = {*content, known_revision_};
}

/// Says the first of a row of failures: the work is tried again several times a second.
void ViewFlusher::say(const model::Error& error, std::string_view doing) {
  if (in_trouble_) return;
  in_trouble_ = true;
  const std::string& cause = error.detail.empty() ? error.message : error.detail;
  const ports::LogField fields[] = {{"cause", cause}};
  parts_.log.log(ports::LogLevel::Warning, "views.waiting", doing, fields);
}

}  // namespace kbase::runtime
