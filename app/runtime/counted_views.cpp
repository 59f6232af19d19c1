// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/counted_views.hpp"

#include <algorithm>

namespace kbase::runtime {

CountedViews::Entry& CountedViews::find_or_create_entry(std::string_view item) {
  const auto found = entries_.find(item);
  return found != entries_.end() ? found->second : entries_.emplace(item, Entry{}).first->second;
}

void CountedViews::count(std::string_view item) {
  const model::Day today = model::day_of(clock_.now());
  const std::lock_guard lock(mutex_);
  ++find_or_create_entry(item).unstored;
  ++unwritten_[{today, std::string(item)}];
}

std::uint64_t CountedViews::views_of(std::string_view item) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(item);
  return found == entries_.end() ? 0 : found->second.stored + found->second.unstored;
}

void CountedViews::by_category(Visitor<ports::CategoryViews> visitor) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [category, views] : categories_)
    if (views != 0 && visitor({category, {}, views}) == Visit::Stop) return;
}

std::vector<CountedViews::Increment> CountedViews::pop_new(std::size_t limit) {
  decltype(unwritten_) popped;
  {
    const std::lock_guard lock(mutex_);
    if (unwritten_.size() <= limit)
      popped.swap(unwritten_);
    else
      while (popped.size() < limit) popped.insert(popped.end(), unwritten_.extract(unwritten_.begin()));
  }
  std::vector<Increment> increments;
  for (const auto& [key, views] : popped) increments.push_back({key.second, key.first, views});
  return increments;
}

void CountedViews::push_back_new(const std::vector<Increment>& increments) {
  const std::lock_guard lock(mutex_);
  for (const Increment& increment : increments) unwritten_[{increment.day, increment.item}] += increment.views;
}

void CountedViews::mark_stored(std::span<const ports::ViewIncrement> increments) {
  const std::lock_guard lock(mutex_);
  for (const ports::ViewIncrement& increment : increments) {
    Entry& entry = find_or_create_entry(increment.item);
    entry.stored += increment.views;
    entry.unstored -= std::min(entry.unstored, increment.views);  // the journal file may hold any number
  }
}

void CountedViews::set_stored(std::string_view item, std::uint64_t total) {
  const std::lock_guard lock(mutex_);
  find_or_create_entry(item).stored = total;
}

std::vector<std::string> CountedViews::list_viewed_items() const {
  std::vector<std::string> items;
  const std::lock_guard lock(mutex_);
  for (const auto& [item, entry] : entries_)
    if (entry.stored != 0) items.push_back(item);
  return items;
}

void CountedViews::set_category(std::string_view item, std::string_view category) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(item);
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  if (entry.category != nullptr) *entry.category -= entry.in_category;
  entry.category = category.empty() ? nullptr : &categories_[std::string(category)];
  entry.in_category = entry.stored;
  if (entry.category != nullptr) *entry.category += entry.in_category;
}

}  // namespace kbase::runtime
