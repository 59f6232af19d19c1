// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/browse_catalog.hpp"

#include <algorithm>
#include <limits>

#include "domain/base/result.hpp"
#include "domain/usecases/bounds.hpp"
#include "domain/usecases/item_lists.hpp"

namespace kbase::usecases {
namespace {

/// Checks the requested slice and reduces its limit to the maximum.
Result<ports::Slice> clamp_slice(ports::Slice requested) {
  if (auto bad = check_limit(requested.limit, std::numeric_limits<std::uint64_t>::max())) return *bad;
  if (auto bad = check_offset(requested.offset)) return *bad;
  return ports::Slice{requested.offset, std::min(requested.limit, ports::kServedListLimit)};
}

/// Wraps a visitor so that its rows include the counted views.
template <class Row>
auto with_counted_views(const ports::ViewCounter& views, Visitor<Row> visitor) {
  return [&views, visitor](const Row& row) {
    Row counted = row;
    counted.metadata.views += views.views_of(row.id);
    return visitor(counted);
  };
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

Status BrowseCatalog::category_items(ports::Call& call, std::string_view id, ports::Slice slice,
                                     ports::SummaryVisitor visitor) {
  const auto clamped = KBASE_TRY(clamp_slice(slice));
  const auto counted = with_counted_views<model::ItemSummaryView>(deps_.views, visitor);
  bool is_empty = true;
  const auto listed = deps_.items.recent(call, id, clamped, [&](const model::ItemSummaryView& item) {
    is_empty = false;
    return counted(item);
  });
  if (!listed || !is_empty) return listed;
  // The list is empty: check whether the category exists.
  return deps_.items.category(call, id, [](const model::CategoryView&) { return Visit::Continue; });
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

}  // namespace kbase::usecases
