// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/popular_items.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_set>

namespace kbase::usecases {
namespace {

std::chrono::days length_of(ports::Period period) {
  switch (period) {
    case ports::Period::Day:
      return std::chrono::days(1);
    case ports::Period::Week:
      return std::chrono::days(7);
    case ports::Period::Month:
      return std::chrono::days(30);
    case ports::Period::All:
      break;
  }
  return std::chrono::days(0);
}

}  // namespace

model::Status PopularItems::visit(ports::Call& call, ports::Period period, model::Day today, std::uint64_t limit,
                                  model::Visitor<ports::PopularItem> visitor) {
  if (period == ports::Period::All) {
    if (auto done = collect_most_viewed_ever(call, limit, true); !done) return done;
  } else {
    const model::Day first = today - length_of(period) + std::chrono::days(1);
    if (auto done = collect_viewed(call, first, today, limit); !done) return done;
    if (existing() < limit) {
      // While the index is being built, the list only lacks items without views in the period.
      const auto filled = collect_most_viewed_ever(call, limit + candidates_.size(), false);
      if (!filled && filled.error().code != model::ErrorCode::Unavailable) return filled;
    }
  }
  rank(limit);
  return hand_out(call, visitor);
}

/// Collects the candidates with the most views in the period, including all ties with the last one. Collects more if
/// too few of them still exist.
model::Status PopularItems::collect_viewed(ports::Call& call, model::Day first, model::Day last, std::uint64_t limit) {
  for (std::uint64_t wanted = limit;; wanted *= 2) {
    candidates_.clear();
    bool more = false;
    const auto visited = activity_.top(call, first, last, [&](const ports::ItemViews& row) {
      more = candidates_.size() >= wanted && row.views < candidates_.back().period_views;
      if (more) return model::Visit::Stop;
      candidates_.push_back({std::string(row.item), row.views, 0, false});
      return model::Visit::Continue;
    });
    if (!visited) return visited;
    if (auto done = look_up(call, candidates_); !done) return done;
    if (!more || existing() >= limit) return {};
  }
}

model::Status PopularItems::collect_most_viewed_ever(ports::Call& call, std::uint64_t limit, bool as_period) {
  std::unordered_set<std::string> known;
  for (const Candidate& candidate : candidates_) known.insert(candidate.id);
  const std::size_t first_new = candidates_.size();
  ports::SearchRequest request;
  request.sort = model::Sort::Popularity;
  request.limit = limit;
  const auto found = index_.search(call, request, [&](const ports::SearchHit& hit) {
    if (!known.contains(std::string(hit.id))) candidates_.push_back({std::string(hit.id), 0, 0, false});
    return model::Visit::Continue;
  });
  if (!found) return found.error();
  const std::span<Candidate> added = std::span(candidates_).subspan(first_new);
  if (auto done = look_up(call, added); !done) return done;
  if (as_period)
    for (Candidate& candidate : added) candidate.period_views = candidate.views;
  return {};
}

/// Sets `exists` and the total views of each candidate.
model::Status PopularItems::look_up(ports::Call& call, std::span<Candidate> candidates) {
  std::vector<std::string_view> ids;
  for (const Candidate& candidate : candidates) ids.push_back(candidate.id);
  auto next = candidates.begin();
  return items_.summaries(call, ids, [&](const model::ItemSummaryView& item) {
    while (next->id != item.id) ++next;
    next->exists = true;
    next->views = item.metadata.views + views_.views_of(item.id);
    return model::Visit::Continue;
  });
}

std::uint64_t PopularItems::existing() const {
  return static_cast<std::uint64_t>(
      std::count_if(candidates_.begin(), candidates_.end(), [](const Candidate& c) { return c.exists; }));
}

void PopularItems::rank(std::uint64_t limit) {
  std::erase_if(candidates_, [](const Candidate& c) { return !c.exists; });
  std::sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
    return std::tie(b.period_views, b.views, a.id) < std::tie(a.period_views, a.views, b.id);
  });
  if (candidates_.size() > limit) candidates_.resize(limit);
}

model::Status PopularItems::hand_out(ports::Call& call, model::Visitor<ports::PopularItem> visitor) {
  std::vector<std::string_view> ids;
  for (const Candidate& candidate : candidates_) ids.push_back(candidate.id);
  auto next = candidates_.begin();
  return items_.summaries(call, ids, [&](const model::ItemSummaryView& item) {
    while (next->id != item.id) ++next;
    model::ItemSummaryView counted = item;
    counted.metadata.views = next->views;
    return visitor({&counted, next->period_views});
  });
}

}  // namespace kbase::usecases
