// SPDX-License-Identifier: Apache-2.0
#include "adapters/memory/activity_store.hpp"

#include <algorithm>
#include <mutex>
#include <tuple>
#include <vector>

namespace kbase::memory {
namespace {
using ports::Call;

template <class Days, class Visitor>
void visit_days_between(const Days& days, model::Day first, model::Day last, Visitor visitor) {
  for (auto day = days.lower_bound(first); day != days.end() && day->first <= last; ++day)
    visitor(day->first, day->second);
}

}  // namespace

Status MemoryActivityStore::add(Call&, const ports::JournalId& journal, std::uint64_t sequence,
                                std::span<const ports::ViewIncrement> increments) {
  const std::lock_guard lock(mutex_);
  const auto [last, is_new] = sequences_.try_emplace(journal, sequence);
  if (!is_new && sequence <= last->second) return {};
  last->second = sequence;
  const model::ViewsRevision next = revision_ + 1;
  for (const ports::ViewIncrement& increment : increments) {
    if (increment.views == 0) continue;
    Counts& counts = items_.try_emplace(std::string(increment.item)).first->second;
    counts.days[increment.day] += increment.views;
    counts.total += increment.views;
    counts.revision = revision_ = next;
  }
  return {};
}

Status MemoryActivityStore::set(Call&, std::string_view item, std::span<const ports::DayViews> days) {
  Days replacing;
  std::uint64_t total = 0;
  for (const ports::DayViews& day : days) {
    if (day.views == 0) continue;
    replacing[day.day] += day.views;
    total += day.views;
  }
  const std::lock_guard lock(mutex_);
  const auto known = items_.find(item);
  if (known == items_.end() ? replacing.empty() : known->second.days == replacing) return {};
  items_[std::string(item)] = {std::move(replacing), total, ++revision_};
  return {};
}

Result<model::ViewsRevision> MemoryActivityStore::revision(Call&) {
  const std::shared_lock lock(mutex_);
  return revision_;
}

Result<model::ViewsRevision> MemoryActivityStore::totals(Call&, model::ViewsRevision after,
                                                         Visitor<ports::ItemViews> visitor) {
  const std::shared_lock lock(mutex_);
  for (const auto& [item, counts] : items_)
    if (counts.revision > after && visitor({item, counts.total}) == Visit::Stop)
      return Error{ErrorCode::Cancelled, "the read of the totals was cancelled"};
  return revision_;
}

Status MemoryActivityStore::top(Call&, model::Day first, model::Day last, Visitor<ports::ItemViews> visitor) {
  const std::shared_lock lock(mutex_);
  std::vector<ports::ItemViews> viewed;
  for (const auto& [item, counts] : items_) {
    std::uint64_t views = 0;
    visit_days_between(counts.days, first, last, [&](model::Day, std::uint64_t more) { views += more; });
    if (views != 0) viewed.push_back({item, views});
  }
  std::sort(viewed.begin(), viewed.end(), [](const ports::ItemViews& a, const ports::ItemViews& b) {
    return std::tie(b.views, a.item) < std::tie(a.views, b.item);
  });
  for (const ports::ItemViews& row : viewed)
    if (visitor(row) == Visit::Stop) break;
  return {};
}

Status MemoryActivityStore::daily(Call&, model::Day first, model::Day last, Visitor<ports::DayViews> visitor) {
  const std::shared_lock lock(mutex_);
  Days sums;
  for (const auto& [item, counts] : items_)
    visit_days_between(counts.days, first, last, [&](model::Day day, std::uint64_t views) { sums[day] += views; });
  for (const auto& [day, views] : sums)
    if (visitor({day, views}) == Visit::Stop) break;
  return {};
}

Status MemoryActivityStore::days(Call&, Visitor<ports::ViewIncrement> visitor) {
  const std::shared_lock lock(mutex_);
  visit_days(visitor);
  return {};
}

Status MemoryActivityStore::snapshot(Call&, Visitor<ports::JournalMark> journals,
                                     Visitor<ports::ViewIncrement> counts) {
  const std::shared_lock lock(mutex_);
  for (const auto& [journal, sequence] : sequences_)
    if (journals({journal, sequence}) == Visit::Stop) return {};
  visit_days(counts);
  return {};
}

/// The caller must hold the lock.
void MemoryActivityStore::visit_days(Visitor<ports::ViewIncrement> visitor) const {
  for (const auto& [item, counts] : items_)
    for (const auto& [day, views] : counts.days)
      if (visitor({item, day, views}) == Visit::Stop) return;
}

}  // namespace kbase::memory
