// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/browse_catalog.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "domain/base/result.hpp"
#include "domain/usecases/bounds.hpp"
#include "domain/usecases/category_tree.hpp"

namespace kbase::usecases {
namespace {

/// Checks the requested slice and reduces its limit to the maximum.
Result<ports::Slice> clamp_slice(ports::Slice requested) {
  if (auto bad = check_limit(requested.limit, std::numeric_limits<std::uint64_t>::max())) return *bad;
  if (auto bad = check_offset(requested.offset)) return *bad;
  return ports::Slice{requested.offset, std::min(requested.limit, ports::kServedListLimit)};
}

/// Wraps a visitor so that its rows include the counted views.
template <class Row> auto with_counted_views(const ports::ViewCounter& views, Visitor<Row> visitor) {
  return [&views, visitor](const Row& row) {
    Row counted = row;
    counted.metadata.views += views.views_of(row.id);
    return visitor(counted);
  };
}

std::chrono::days length_of(ports::Period period) {
  switch (period) {
    case ports::Period::Day: return std::chrono::days(1);
    case ports::Period::Week: return std::chrono::days(7);
    case ports::Period::Month: return std::chrono::days(30);
    case ports::Period::All: break;
  }
  return std::chrono::days(0);
}

using Kind = model::QueryNode::Kind;

constexpr std::size_t kMaxWords = 32;  // maximum number of words of the query; later words of a long title are less
                                       // significant

/// Adds each word of the text to the query.
void add_words(std::string_view text, model::QueryNode& root) {
  const auto is_space = [](char c) { return static_cast<unsigned char>(c) <= 0x20; };
  for (auto begin = text.begin(); root.children.size() < kMaxWords;) {
    begin = std::find_if_not(begin, text.end(), is_space);
    if (begin == text.end()) return;
    const auto end = std::find_if(begin, text.end(), is_space);
    root.children.push_back({Kind::Word, std::string(begin, end), {}});
    begin = end;
  }
}

}  // namespace

Result<ports::Validator> BrowseCatalog::content_validator(ports::Call& call) {
  const auto revision = KBASE_TRY(deps_.items.revision(call));
  return ports::Validator{deps_.items.store_id(), revision, 0, {}};
}

Result<ports::Validator> BrowseCatalog::views_validator(ports::Call& call) {
  const model::ViewsRevision views = deps_.views.revision();
  // /popular also depends on the index, which follows the store. An index that cannot answer contributes no rows.
  const auto index = deps_.index.state(call);
  auto validator = content_validator(call);
  if (!validator) return validator;
  validator->views_revision = views;
  if (index) {
    validator->index_store_id = index->store_id;
    validator->index_revision = index->revision;
  }
  validator->day = model::day_of(deps_.clock.now());
  return validator;
}

Result<ports::Validator> BrowseCatalog::related_validator(ports::Call& call) {
  const auto index = KBASE_TRY(deps_.index.state(call));
  auto validator = content_validator(call);
  if (!validator) return validator;
  validator->index_store_id = index.store_id;
  validator->index_revision = index.revision;
  return validator;
}

Status BrowseCatalog::item(ports::Call& call, std::string_view id, ports::ItemVisitor visitor) {
  return deps_.items.get(call, id, with_counted_views<model::ItemView>(deps_.views, visitor));
}

Status BrowseCatalog::related(ports::Call& call, std::string_view id, std::uint64_t limit,
                              Visitor<ports::RelatedItem> visitor) {
  if (auto bad = check_limit(limit, ports::kMaxShortListLimit)) return *bad;
  return RelatedItems(deps_.items, deps_.index).visit(call, id, limit, [&](const ports::RelatedItem& related) {
    model::ItemSummaryView counted = *related.item;
    counted.metadata.views += deps_.views.views_of(counted.id);
    return visitor({&counted, related.is_stored});
  });
}

Status BrowseCatalog::categories(ports::Call& call, ports::Slice slice, ports::CategoryVisitor visitor) {
  const auto clamped = KBASE_TRY(clamp_slice(slice));
  return deps_.items.categories(call, clamped, visitor);
}

Status BrowseCatalog::category(ports::Call& call, std::string_view id, ports::CategoryVisitor visitor) {
  return deps_.items.category(call, id, visitor);
}

Status BrowseCatalog::category_items(ports::Call& call, std::string_view id, ports::Subcategories subcategories,
                                     ports::Slice slice, ports::SummaryVisitor visitor) {
  const auto clamped = KBASE_TRY(clamp_slice(slice));
  const auto counted = with_counted_views<model::ItemSummaryView>(deps_.views, visitor);
  bool is_empty = true;
  std::vector<std::string> categories = {std::string(id)};
  if (subcategories == ports::Subcategories::Included) {
    auto all = KBASE_TRY(with_subcategories(call, deps_.items, std::move(categories)));
    categories = std::move(all);
  }
  const auto listed = visit_recent(call, deps_.items, categories, clamped, [&](const model::ItemSummaryView& item) {
    is_empty = false;
    return counted(item);
  });
  if (!listed || !is_empty) return listed;
  // The list is empty: check whether the category exists.
  return deps_.items.category(call, id, [](const model::CategoryView&) { return Visit::Continue; });
}

Status BrowseCatalog::all_items(ports::Call& call, ports::Slice slice, ports::SummaryVisitor visitor) {
  return deps_.items.recent(call, std::nullopt, slice, visitor);
}

Status BrowseCatalog::recent(ports::Call& call, std::uint64_t limit, ports::SummaryVisitor visitor) {
  if (auto bad = check_limit(limit, ports::kMaxShortListLimit)) return *bad;
  return deps_.items.recent(call, std::nullopt, {0, limit},
                            with_counted_views<model::ItemSummaryView>(deps_.views, visitor));
}

Status BrowseCatalog::popular(ports::Call& call, ports::Period period, std::uint64_t limit,
                              Visitor<ports::PopularItem> visitor) {
  if (auto bad = check_limit(limit, ports::kMaxShortListLimit)) return *bad;
  PopularItems popular(deps_.items, deps_.activity, deps_.index, deps_.views);
  const model::Day today = model::day_of(deps_.clock.now());
  return popular.visit(call, period, today, limit, visitor);
}

Status PopularItems::visit(ports::Call& call, ports::Period period, model::Day today, std::uint64_t limit,
                           Visitor<ports::PopularItem> visitor) {
  if (period == ports::Period::All) {
    KBASE_TRY(collect_most_viewed_ever(call, limit, true));
  } else {
    const model::Day first = today - length_of(period) + std::chrono::days(1);
    KBASE_TRY(collect_viewed(call, first, today, limit));
    if (existing() < limit) {
      // While the index is being built, the list only lacks items without views in the period.
      const auto filled = collect_most_viewed_ever(call, limit + candidates_.size(), false);
      if (!filled && filled.error().code != ErrorCode::Unavailable) return filled;
    }
  }
  rank(limit);
  return visit_items(call, visitor);
}

/// Collects the candidates with the most views in the period, including all ties with the last one. Collects more if
/// too few of them still exist.
Status PopularItems::collect_viewed(ports::Call& call, model::Day first, model::Day last, std::uint64_t limit) {
  for (std::uint64_t min_count = limit;; min_count *= 2) {
    candidates_.clear();
    bool more = false;
    const auto visited = activity_.top(call, first, last, [&](const ports::ItemViews& row) {
      more = candidates_.size() >= min_count && row.views < candidates_.back().period_views;
      if (more) return Visit::Stop;
      candidates_.push_back({std::string(row.item), row.views, 0, false});
      return Visit::Continue;
    });
    if (!visited) return visited;
    KBASE_TRY(look_up(call, candidates_));
    if (!more || existing() >= limit) return {};
  }
}

Status PopularItems::collect_most_viewed_ever(ports::Call& call, std::uint64_t limit, bool as_period) {
  std::unordered_set<std::string> known;
  for (const Candidate& candidate : candidates_) known.insert(candidate.id);
  const std::size_t first_new = candidates_.size();
  ports::SearchRequest request;
  request.sort = model::Sort::Popularity;
  request.limit = limit;
  const auto found = index_.search(call, request, [&](const ports::SearchHit& hit) {
    if (!known.contains(std::string(hit.id))) candidates_.push_back({std::string(hit.id), 0, 0, false});
    return Visit::Continue;
  });
  if (!found) return found.error();
  const std::span<Candidate> added = std::span(candidates_).subspan(first_new);
  KBASE_TRY(look_up(call, added));
  if (as_period)
    for (Candidate& candidate : added) candidate.period_views = candidate.views;
  return {};
}

/// Sets `exists` and the total views of each candidate.
Status PopularItems::look_up(ports::Call& call, std::span<Candidate> candidates) {
  std::vector<std::string_view> ids;
  for (const Candidate& candidate : candidates) ids.push_back(candidate.id);
  auto next = candidates.begin();
  return items_.summaries(call, ids, [&](const model::ItemSummaryView& item) {
    while (next->id != item.id) ++next;
    next->exists = true;
    next->views = item.metadata.views + views_.views_of(item.id);
    return Visit::Continue;
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

Status PopularItems::visit_items(ports::Call& call, Visitor<ports::PopularItem> visitor) {
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

Status RelatedItems::visit(ports::Call& call, std::string_view id, std::uint64_t limit,
                           Visitor<ports::RelatedItem> visitor) {
  KBASE_TRY(read(call, id));
  visited_.emplace_back(id);
  if (auto done = visit_items(call, true, limit, visitor); !done || is_stopped_) return done;
  const std::uint64_t left = limit - std::min<std::uint64_t>(limit, visited_.size() - 1);
  if (left == 0 || query_.children.empty()) return {};
  KBASE_TRY(find_similar(call, left));
  return visit_items(call, false, left, visitor);
}

Status RelatedItems::read(ports::Call& call, std::string_view id) {
  return items_.get(call, id, [this](const model::ItemView& item) {
    ids_.assign(item.related.begin(), item.related.end());
    for (const std::string_view tag : item.tags) add_words(tag, query_);
    add_words(item.title, query_);
    return Visit::Stop;
  });
}

/// Any shared word matches. The index ranks rare words highest.
Status RelatedItems::find_similar(ports::Call& call, std::uint64_t limit) {
  ids_.clear();
  ports::SearchRequest request = ports::SearchRequest::any_word(query_);
  request.limit = limit + visited_.size();
  const auto found = index_.search(call, request, [&](const ports::SearchHit& hit) {
    if (std::find(visited_.begin(), visited_.end(), hit.id) == visited_.end()) ids_.emplace_back(hit.id);
    return ids_.size() < limit ? Visit::Continue : Visit::Stop;
  });
  return found ? Status() : Status(found.error());
}

/// Visits the existing items of `ids_` that were not visited before.
Status RelatedItems::visit_items(ports::Call& call, bool is_stored, std::uint64_t limit,
                                 Visitor<ports::RelatedItem> visitor) {
  const std::vector<std::string_view> ids(ids_.begin(), ids_.end());
  if (ids.empty()) return {};
  std::uint64_t left = limit;
  return items_.summaries(call, ids, [&](const model::ItemSummaryView& item) {
    if (std::find(visited_.begin(), visited_.end(), item.id) != visited_.end()) return Visit::Continue;
    visited_.emplace_back(item.id);
    is_stopped_ = visitor({&item, is_stored}) == Visit::Stop || --left == 0;
    return is_stopped_ ? Visit::Stop : Visit::Continue;
  });
}

}  // namespace kbase::usecases
