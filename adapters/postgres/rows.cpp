// SPDX-License-Identifier: Apache-2.0
#include "adapters/postgres/rows.hpp"

namespace kbase::postgres {
namespace {

bool read_summary(const Row& row, model::ItemSummaryView& view, std::vector<std::string_view>& tags) {
  view.id = row.text(1);
  view.category = row.text(2);
  view.metadata.created = row.day(3);
  view.metadata.updated = row.day(4);
  view.metadata.views = row.number(5);
  view.title = row.text(6);
  view.lead = row.text(7);
  if (!wire::read_list(row.text(8), tags)) return false;
  view.tags = tags;
  view.metadata.author = row.text(9);
  view.metadata.further = row.text(10);
  return true;
}

}  // namespace

const model::ItemSummaryView* SummaryRow::operator()(const Row& row) {
  return read_summary(row, view_, tags_) ? &view_ : nullptr;
}

const model::ItemView* ItemRow::operator()(const Row& row) {
  if (!read_summary(row, view_, tags_) || !wire::read_list(row.text(11), related_)) return nullptr;
  view_.related = related_;
  view_.content = row.text(12);
  view_.revision = row.number(0);
  return &view_;
}

const model::CategoryView* CategoryRow::operator()(const Row& row) {
  view_.revision = row.number(0);
  view_.id = row.text(1);
  view_.name = row.text(2);
  view_.description = row.text(3);
  view_.icon = row.text(4);
  if (!wire::read_list(row.text(5), subcategories_)) return nullptr;
  view_.subcategories = subcategories_;
  view_.item_count = row.number(6);
  return &view_;
}

}  // namespace kbase::postgres
