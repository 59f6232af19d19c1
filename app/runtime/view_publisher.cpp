// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/view_publisher.hpp"

#include <algorithm>
#include <map>

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
  const bool is_under_way = untold_.told < untold_.totals.size();
  return is_under_way || !parts_.index.capabilities().popularity_lag || publishes_++ % kPublishesOfLag == 0;
}

/// Of one that can't be read the index's keeper tells.
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

/// What the store counted since the revision that the index was told last, by this server or another. Nobody else
/// changes the index meanwhile.
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

/// An index that is ahead of its store was told by one that is gone.
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
