// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/usage_counter.hpp"

#include <functional>
#include <utility>
#include <vector>

namespace kbase::runtime {

void UsageCounter::count(std::string_view key, model::Day day) {
  Shard& shard = shards_[std::hash<std::string_view>()(key) % kShards];
  const std::lock_guard lock(shard.mutex);
  auto known = shard.counts.find(key);
  if (known == shard.counts.end()) known = shard.counts.emplace(key, Days()).first;
  ++known->second[day];
}

void UsageCounter::flush() {
  collect();
  std::vector<ports::KeyUsage> usage;
  for (const auto& [key, days] : waiting_)
    for (const auto& [day, requests] : days) usage.push_back({key, day, requests});
  if (usage.empty()) return;
  ports::Call call;
  const auto added = store_.add_usage(call, usage);
  if (!added) say(added.error());
  // A store that keeps no usage will keep none later either.
  if (added || added.error().code == model::ErrorCode::Unsupported) waiting_.clear();
  if (added) in_trouble_ = false;
}

void UsageCounter::collect() {
  for (Shard& shard : shards_) {
    Counts counts;
    {
      const std::lock_guard lock(shard.mutex);
      counts.swap(shard.counts);
    }
    for (const auto& [key, days] : counts)
      for (const auto& [day, requests] : days) waiting_[key][day] += requests;
  }
}

/// Says the first of a row of failures: the work is tried again every few seconds.
void UsageCounter::say(const model::Error& error) {
  if (std::exchange(in_trouble_, true)) return;
  const std::string& cause = error.detail.empty() ? error.message : error.detail;
  const ports::LogField fields[] = {{"cause", cause}};
  log_.log(ports::LogLevel::Warning, "keys.usage_waiting", "the counted use of keys cannot be stored", fields);
}

}  // namespace kbase::runtime
