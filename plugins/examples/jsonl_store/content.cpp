// SPDX-License-Identifier: Apache-2.0
#include "content.hpp"

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

namespace jsonl {
namespace {

bool is_more_recent(const model::Item* a, const model::Item* b) {
  const auto& x = a->view();
  const auto& y = b->view();
  return std::tie(y.metadata.updated, y.metadata.created, x.id) <
         std::tie(x.metadata.updated, x.metadata.created, y.id);
}

bool comes_before_by_name(const CategoryRow* a, const CategoryRow* b) {
  const auto& x = a->category->view();
  const auto& y = b->category->view();
  return std::tie(x.name, x.id) < std::tie(y.name, y.id);
}

}  // namespace

model::CategoryView CategoryRow::view() const {
  model::CategoryView view = category->view();
  view.item_count = items;
  return view;
}

Content::Content(Records records) : records_(std::move(records)) {
  for (const auto& [revision, record] : records_.by_revision()) {
    if (const auto* category = std::get_if<model::Category>(record.get()))
      rows_[category->view().id].category = category;
    if (const auto* item = std::get_if<model::Item>(record.get())) by_recency_.push_back(item);
  }
  std::sort(by_recency_.begin(), by_recency_.end(), is_more_recent);
  by_category_ = by_recency_;
  std::stable_sort(by_category_.begin(), by_category_.end(),
                   [](const model::Item* a, const model::Item* b) { return a->view().category < b->view().category; });
  for (const model::Item* item : by_recency_) {
    const model::ItemView& view = item->view();
    CategoryRow& row = rows_.find(view.category)->second;
    ++row.items;
    row.views += view.metadata.views;
    views_ += view.metadata.views;
    created_.push_back(view.metadata.created);
  }
  std::sort(created_.begin(), created_.end());
  for (const auto& [id, row] : rows_) by_name_.push_back(&row);
  std::sort(by_name_.begin(), by_name_.end(), comes_before_by_name);
}

std::span<const model::Item* const> Content::recent(std::optional<std::string_view> category) const {
  if (!category) return by_recency_;
  const auto first =
      std::lower_bound(by_category_.begin(), by_category_.end(), *category,
                       [](const model::Item* item, std::string_view wanted) { return item->view().category < wanted; });
  const auto last =
      std::upper_bound(first, by_category_.end(), *category,
                       [](std::string_view wanted, const model::Item* item) { return wanted < item->view().category; });
  return {first, last};
}

const CategoryRow* Content::category(std::string_view id) const {
  const auto found = rows_.find(id);
  return found == rows_.end() ? nullptr : &found->second;
}

ports::StoreTotals Content::totals(model::Day today) const {
  const auto first = std::lower_bound(created_.begin(), created_.end(), today - std::chrono::days(6));
  const auto last = std::upper_bound(first, created_.end(), today);
  return {by_recency_.size(), rows_.size(), views_, static_cast<std::uint64_t>(last - first)};
}

}  // namespace jsonl
