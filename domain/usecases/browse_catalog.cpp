// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/browse_catalog.hpp"

#include <algorithm>
#include <limits>

#include "domain/usecases/bounds.hpp"
#include "domain/usecases/popular_items.hpp"
#include "domain/usecases/related_items.hpp"

namespace kbase::usecases {
namespace {

/// Checks the requested slice and reduces its limit to the maximum.
model::Result<ports::Slice> served_slice(ports::Slice asked) {
  if (auto bad = check_limit(asked.limit, std::numeric_limits<std::uint64_t>::max())) return *bad;
  if (auto bad = check_offset(asked.offset)) return *bad;
  return ports::Slice{asked.offset, std::min(asked.limit, ports::kServedListLimit)};
}

/// Wraps a visitor so that its rows include the counted views.
template <class Row>
auto with_counted_views(const ports::ViewCounter& views, model::Visitor<Row> visitor) {
  return [&views, visitor](const Row& row) {
    Row counted = row;
    counted.metadata.views += views.views_of(row.id);
    return visitor(counted);
  };
}

}  // namespace

model::Result<ports::Validator> BrowseCatalog::content_validator(ports::Call& call) {
  const auto revision = parts_.items.revision(call);
  if (!revision) return revision.error();
  return ports::Validator{parts_.items.store_id(), *revision, 0, {}};
}

model::Result<ports::Validator> BrowseCatalog::views_validator(ports::Call& call) {
  const model::ViewsRevision views = parts_.views.revision();
  // /popular also depends on the index, which follows the store. The sum changes if either the index or the counts
  // change. If the index cannot answer, it contributes no rows either.
  const auto index = parts_.index.state(call);
  auto validator = content_validator(call);
  if (!validator) return validator;
  validator->views_revision = views + (index ? index->revision : 0);
  validator->day = model::day_of(parts_.clock.now());
  return validator;
}

model::Result<ports::Validator> BrowseCatalog::related_validator(ports::Call& call) {
  const auto index = parts_.index.state(call);
  if (!index) return index.error();
  auto validator = content_validator(call);
  if (!validator) return validator;
  validator->index_store_id = index->store_id;
  validator->views_revision = index->revision;
  return validator;
}

model::Status BrowseCatalog::item(ports::Call& call, std::string_view id, ports::ItemVisitor visitor) {
  return parts_.items.get(call, id, with_counted_views<model::ItemView>(parts_.views, visitor));
}

model::Status BrowseCatalog::related(ports::Call& call, std::string_view id, std::uint64_t limit,
                                     model::Visitor<ports::RelatedItem> visitor) {
  if (auto bad = check_limit(limit, ports::kMaxShortListLimit)) return *bad;
  return RelatedItems(parts_.items, parts_.index).visit(call, id, limit, [&](const ports::RelatedItem& related) {
    model::ItemSummaryView counted = *related.item;
    counted.metadata.views += parts_.views.views_of(counted.id);
    return visitor({&counted, related.is_stored});
  });
}

model::Status BrowseCatalog::categories(ports::Call& call, ports::Slice slice, ports::CategoryVisitor visitor) {
  const auto served = served_slice(slice);
  if (!served) return served.error();
  return parts_.items.categories(call, *served, visitor);
}

model::Status BrowseCatalog::category(ports::Call& call, std::string_view id, ports::CategoryVisitor visitor) {
  return parts_.items.category(call, id, visitor);
}

model::Status BrowseCatalog::category_items(ports::Call& call, std::string_view id, ports::Slice slice,
                                            ports::SummaryVisitor visitor) {
  const auto served = served_slice(slice);
  if (!served) return served.error();
  const auto counted = with_counted_views<model::ItemSummaryView>(parts_.views, visitor);
  bool is_empty = true;
  const auto listed = parts_.items.recent(call, id, *served, [&](const model::ItemSummaryView& item) {
    is_empty = false;
    return counted(item);
  });
  if (!listed || !is_empty) return listed;
  // The list is empty: check whether the category exists.
  return parts_.items.category(call, id, [](const model::CategoryView&) { return model::Visit::Continue; });
}

model::Status BrowseCatalog::recent(ports::Call& call, std::uint64_t limit, ports::SummaryVisitor visitor) {
  if (auto bad = check_limit(limit, ports::kMaxShortListLimit)) return *bad;
  return parts_.items.recent(call, std::nullopt, {0, limit},
                             with_counted_views<model::ItemSummaryView>(parts_.views, visitor));
}

model::Status BrowseCatalog::popular(ports::Call& call, ports::Period period, std::uint64_t limit,
                                     model::Visitor<ports::PopularItem> visitor) {
  if (auto bad = check_limit(limit, ports::kMaxShortListLimit)) return *bad;
  PopularItems popular(parts_.items, parts_.activity, parts_.index, parts_.views);
  const model::Day today = model::day_of(parts_.clock.now());
  return popular.visit(call, period, today, limit, visitor);
}

}  // namespace kbase::usecases
