// SPDX-License-Identifier: Apache-2.0
#include "adapters/memory/insight_store.hpp"

#include <algorithm>

namespace kbase::memory {

Status MemoryInsightStore::add_queries(ports::Call&, std::span<const model::QueryCount> counts) {
  const std::lock_guard lock(mutex_);
  for (const model::QueryCount& count : counts) {
    const auto row = queries_.try_emplace({std::string(count.query), count.day}).first;
    row->second.query = std::get<0>(row->first);
    row->second.day = count.day;
    row->second.searches += count.searches;
    row->second.without_result += count.without_result;
    row->second.with_click += count.with_click;
  }
  return {};
}

Status MemoryInsightStore::queries(ports::Call&, model::Day first, model::Day last,
                                   Visitor<model::QueryCount> visitor) {
  const std::lock_guard lock(mutex_);
  for (const auto& [key, count] : queries_)
    if (count.day >= first && count.day <= last && visitor(count) == Visit::Stop) break;
  return {};
}

Status MemoryInsightStore::put_feedback(ports::Call&, const model::Feedback& feedback) {
  const std::lock_guard lock(mutex_);
  const bool is_known = feedback.reader != model::ClientId{};
  auto opinion = std::find_if(feedback_.begin(), feedback_.end(), [&](const Opinion& each) {
    return is_known && each.reader == feedback.reader && each.day == feedback.day && each.item == feedback.item;
  });
  if (opinion == feedback_.end()) {
    feedback_.push_back({std::string(feedback.item), feedback.day, feedback.reader, false, {}});
    opinion = feedback_.end() - 1;
  }
  opinion->is_helpful = feedback.is_helpful;
  opinion->comment = feedback.comment;
  return {};
}

Status MemoryInsightStore::feedback(ports::Call&, model::Day first, model::Day last, Visitor<model::Feedback> visitor) {
  const std::lock_guard lock(mutex_);
  std::vector<const Opinion*> found;
  for (const Opinion& each : feedback_)
    if (each.day >= first && each.day <= last) found.push_back(&each);
  std::stable_sort(found.begin(), found.end(), [](const Opinion* a, const Opinion* b) {
    return a->day != b->day ? a->day > b->day : a->item < b->item;
  });
  for (const Opinion* each : found)
    if (visitor({each->item, each->day, each->reader, each->is_helpful, each->comment}) == Visit::Stop) break;
  return {};
}

Status MemoryInsightStore::forget(ports::Call&, model::Day first, model::Day today) {
  const std::lock_guard lock(mutex_);
  std::erase_if(queries_, [first](const auto& row) { return row.second.day < first; });
  std::erase_if(feedback_, [first](const Opinion& each) { return each.day < first; });
  for (Opinion& each : feedback_)
    if (each.day < today) each.reader = {};
  return {};
}

}  // namespace kbase::memory
