// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/usage_counter.hpp"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace kbase::runtime {
namespace {

const std::string& cause_of(const model::Error& error) {
  return error.detail.empty() ? error.message : error.detail;
}

}  // namespace

void UsageCounter::count(std::string_view key, model::Day day) {
  Shard& shard = shards_[std::hash<std::string_view>()(key) % kShards];
  const std::lock_guard lock(shard.mutex);
  auto known = shard.counts.find(key);
  if (known == shard.counts.end()) known = shard.counts.emplace(key, Days()).first;
  ++known->second[day];
}

model::Status UsageCounter::flush() {
  collect();
  std::vector<ports::KeyUsage> usage;
  model::Day newest = model::Day::min();
  for (const auto& [key, days] : waiting_)
    for (const auto& [day, requests] : days) {
      usage.push_back({key, day, requests});
      newest = std::max(newest, day);
    }
  if (usage.empty()) return {};
  ports::Call call;
  call.deadline = clock_.steady() + kTimeout;
  const auto added = store_.add_usage(call, usage);
  if (!added) say_waiting(added.error());
  const bool is_kept = added || added.error().code != model::ErrorCode::Unsupported;
  if (!added && is_kept) return added;
  waiting_.clear();
  if (!is_kept) return {};
  in_trouble_ = false;
  forget_before(call, newest - kKept);
  return {};
}

model::Status UsageCounter::finish() {
  const auto flushed = flush();
  if (flushed) return {};
  std::uint64_t requests = 0;
  for (const auto& [key, days] : waiting_)
    for (const auto& [day, of_day] : days) requests += of_day;
  const ports::LogField fields[] = {{"requests", requests}, {"cause", cause_of(flushed.error())}};
  log_.log(ports::LogLevel::Error, "keys.usage_lost",
           "the report of use lacks requests that were counted, as the store refused them to the end; mend the cause "
           "before the next stop. Limits are not affected",
           fields);
  return flushed;
}

/// Deletes old days once per day. A failure is retried after the next write; store errors are reported by that write.
void UsageCounter::forget_before(ports::Call& call, model::Day first) {
  if (first <= forgotten_before_) return;
  const auto forgotten = store_.forget_usage(call, first);
  if (forgotten || forgotten.error().code == model::ErrorCode::Unsupported) forgotten_before_ = first;
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

/// Logs the first of consecutive failures only, because writes are retried every few seconds.
void UsageCounter::say_waiting(const model::Error& error) {
  if (std::exchange(in_trouble_, true)) return;
  const ports::LogField fields[] = {{"cause", cause_of(error)}};
  log_.log(ports::LogLevel::Warning, "keys.usage_waiting", "the counted use of keys cannot be stored", fields);
}

}  // namespace kbase::runtime
