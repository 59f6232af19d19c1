// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/view_publisher.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kbase::runtime {
namespace {

constexpr std::size_t kChunk = 500;       // items whose categories are asked for in one call
constexpr unsigned kPublishesOfLag = 10;  // 20 s, which with the writing is less than 30

}  // namespace

void ViewPublisher::publish() {
  const auto told = is_time_for_index() ? publish_to_index() : model::Status();
  const auto shown = publish_categories();
  if (stopping_) return;
  // Another server's turn ends, and the next time is soon.
  if (!told && told.error().code != model::ErrorCode::Conflict)
    say(told.error(), "the index sorts by older views");
  else if (!shown)
    say(shown.error(), "statistics show older views");
  else
    in_trouble_ = false;
}

bool ViewPublisher::is_time_for_index() {
  return !parts_.index.capabilities().popularity_lag || publishes_++ % kPublishesOfLag == 0;
}

/// What the store counted since the revision that the index was told last, by this server or another.
model::Status ViewPublisher::publish_to_index() {
  ports::Call call;
  call.cancel = &stopping_;
  const auto state = parts_.index.state(call);
  if (!state || !state->complete) return {};  // whose trouble the index's keeper tells
  const model::ViewsRevision known = parts_.views.revision();
  if (state->views_revision == known) return {};
  const bool is_ahead = state->views_revision > known;
  if (is_ahead && parts_.lease != nullptr) return {};  // another server knew more
  std::unique_ptr<FeedingLease::Hold> turn;
  if (parts_.lease != nullptr) {
    auto taken = parts_.lease->take(call);
    if (!taken) return taken.error();
    turn = *std::move(taken);
  }
  // An index that is ahead of its store was told by one that is gone.
  const model::ViewsRevision after = is_ahead ? 0 : state->views_revision;
  std::vector<std::pair<std::string, std::uint64_t>> totals;
  const auto revision = parts_.activity.totals(call, after, [&](const ports::ItemViews& row) {
    totals.emplace_back(row.item, row.views);
    return model::Visit::Continue;
  });
  if (!revision) return revision.error();
  std::vector<ports::ItemViews> rows;
  for (const auto& [item, views] : totals) rows.push_back({item, views});
  return parts_.index.set_views(call, rows, *revision);
}

/// An item's views count for the category it has now, so a change of either is reason to look again.
model::Status ViewPublisher::publish_categories() {
  ports::Call call;
  call.cancel = &stopping_;
  const auto content = parts_.items.revision(call);
  const model::ViewsRevision known = parts_.views.revision();
  if (!content || (categories_of_.content == *content && categories_of_.views == known)) return {};
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
    if (!found) return found;
  }
  parts_.views.set_categories(std::move(by_category));
  categories_of_ = {*content, known};
  return {};
}

/// Says the first of a row of failures: the work is tried again every few seconds.
void ViewPublisher::say(const model::Error& error, std::string_view doing) {
  if (std::exchange(in_trouble_, true)) return;
  const std::string& cause = error.detail.empty() ? error.message : error.detail;
  const ports::LogField fields[] = {{"cause", cause}};
  parts_.log.log(ports::LogLevel::Warning, "views.waiting", doing, fields);
}

}  // namespace kbase::runtime
