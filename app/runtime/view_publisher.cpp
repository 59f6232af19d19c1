// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/view_publisher.hpp"

#include <algorithm>

namespace kbase::runtime {
namespace {

constexpr std::size_t kChunk = 500;       // items per call that reads categories
constexpr unsigned kPublishesOfLag = 10;  // 20 s, so that with the writing the lag is below 30 s
constexpr int kPauseOfLooks = 9;          // pause after a full scan, in multiples of its duration

}  // namespace

void ViewPublisher::publish() {
  const auto told = is_time_for_index() ? publish_to_index() : model::Status();
  const auto shown = publish_categories();
  if (stopping_) return;
  // A Conflict is no failure: the other server releases the lease, and the next attempt is soon.
  if (!told && told.error().code != model::ErrorCode::Conflict)
    say(told.error(), "the index sorts by older views");
  else if (!shown)
    say(shown.error(), "statistics show older views");
  else
    in_trouble_ = false;
}

bool ViewPublisher::is_time_for_index() {
  const bool is_under_way = untold_.told < untold_.totals.size();
  return is_under_way || !parts_.index.capabilities().popularity_lag || publishes_++ % kPublishesOfLag == 0;
}

/// Ignores an unreadable index: the index updater reports it.
bool ViewPublisher::is_behind(const model::Result<ports::IndexState>& index) const {
  if (!index || !index->complete) return false;
  const model::ViewsRevision known = parts_.views.revision();
  const bool another_knew_more = parts_.lease != nullptr && index->views_revision > known;
  return index->views_revision != known && !another_knew_more;
}

model::Status ViewPublisher::publish_to_index() {
  ports::Call call;
  call.cancel = &stopping_;
  if (!is_behind(parts_.index.state(call))) {
    untold_ = {};
    return {};
  }
  if (parts_.lease == nullptr) return tell_index(call);
  const auto turn = parts_.lease->take(call);
  return turn ? tell_index(call) : turn.error();
}

/// Writes the views counted since the index's revision, which this or another server set. With a shared index, requires
/// the lease, so that no other process changes it meanwhile.
model::Status ViewPublisher::tell_index(ports::Call& call) {
  const auto index = parts_.index.state(call);
  if (!is_behind(index)) return {};
  if (untold_.told == untold_.totals.size() || untold_.since != index->views_revision)
    if (auto read = read_untold(call, index->views_revision); !read) return read;
  const std::size_t left = untold_.totals.size() - untold_.told;
  const std::size_t most = parts_.lease != nullptr ? kMostAtOnce : left;
  const bool is_last = left <= most;
  std::vector<ports::ItemViews> rows;
  for (std::size_t i = 0; i < std::min(most, left); ++i) {
    const auto& [item, views] = untold_.totals[untold_.told + i];
    rows.push_back({item, views});
  }
  if (auto told = parts_.index.set_views(call, rows, is_last ? untold_.up_to : untold_.since); !told) return told;
  untold_.told += rows.size();
  if (is_last) untold_ = {};
  return {};
}

/// If the index is ahead of the store, it has the views of a previous store; then all totals are read.
model::Status ViewPublisher::read_untold(ports::Call& call, model::ViewsRevision since) {
  untold_ = {};
  const model::ViewsRevision after = since > parts_.views.revision() ? 0 : since;
  const auto up_to = parts_.activity.totals(call, after, [&](const ports::ItemViews& row) {
    untold_.totals.emplace_back(row.item, row.views);
    return model::Visit::Continue;
  });
  if (!up_to) return up_to.error();
  untold_.since = since;
  untold_.up_to = *up_to;
  return {};
}

/// Assigns each item's views to its current category. New views require reading only the items that have them; new
/// content requires reading all items ever viewed. The full scan takes at most a tenth of the time.
model::Status ViewPublisher::publish_categories() {
  ports::Call call;
  call.cancel = &stopping_;
  const auto content = parts_.items.revision(call);
  if (!content) return {};
  const bool is_due = parts_.clock.steady() >= categories_of_.next;
  return is_due && categories_of_.content != *content ? look_at_all(call, *content) : look_at_changed(call);
}

model::Status ViewPublisher::look_at_all(ports::Call& call, model::Revision content) {
  const auto began = parts_.clock.steady();
  const model::ViewsRevision known = parts_.views.revision();
  if (auto looked = look_at(call, parts_.views.viewed_items()); !looked) return looked;
  const auto ended = parts_.clock.steady();
  categories_of_ = {content, known, ended + kPauseOfLooks * (ended - began)};
  return {};
}

model::Status ViewPublisher::look_at_changed(ports::Call& call) {
  const model::ViewsRevision known = parts_.views.revision();
  if (categories_of_.views == known) return {};
  const model::ViewsRevision after = categories_of_.views < known ? categories_of_.views : 0;
  std::vector<std::string> items;
  const auto told = parts_.activity.totals(call, after, [&](const ports::ItemViews& row) {
    items.emplace_back(row.item);
    return model::Visit::Continue;
  });
  if (!told) return told.error();
  if (auto looked = look_at(call, items); !looked) return looked;
  categories_of_.views = known;
  return {};
}

model::Status ViewPublisher::look_at(ports::Call& call, std::span<const std::string> items) {
  for (; !items.empty(); items = items.subspan(std::min(kChunk, items.size()))) {
    const auto chunk = items.first(std::min(kChunk, items.size()));
    const std::vector<std::string_view> ids(chunk.begin(), chunk.end());
    auto next = ids.begin();
    const auto found = parts_.items.summaries(call, ids, [&](const model::ItemSummaryView& item) {
      for (; next != ids.end() && *next != item.id; ++next) parts_.views.set_category(*next, {});
      if (next != ids.end()) parts_.views.set_category(*next++, item.category);
      return model::Visit::Continue;
    });
    if (!found) return found;
    for (; next != ids.end(); ++next) parts_.views.set_category(*next, {});
  }
  return {};
}

/// Logs the first of consecutive failures only, because the work is retried every few seconds.
void ViewPublisher::say(const model::Error& error, std::string_view doing) {
  if (std::exchange(in_trouble_, true)) return;
  const std::string& cause = error.detail.empty() ? error.message : error.detail;
  const ports::LogField fields[] = {{"cause", cause}};
  parts_.log.log(ports::LogLevel::Warning, "views.waiting", doing, fields);
}

}  // namespace kbase::runtime
