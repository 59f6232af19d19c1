// SPDX-License-Identifier: Apache-2.0
#include "cache.hpp"

namespace mycache {
namespace {
using kbase::ports::Call;
using Time = std::chrono::steady_clock::time_point;

constexpr std::size_t kEntryBytes = 160;  // approximate memory of an entry in addition to its key and value

std::size_t cost(std::string_view key, std::string_view value) { return kEntryBytes + key.size() + value.size(); }

/// Returns `now + time`, or the maximum time if that overflows.
Time after(Time now, std::chrono::milliseconds time) {
  const auto left = std::chrono::floor<std::chrono::milliseconds>(Time::max() - now);
  return time < left ? now + time : Time::max();
}

}  // namespace

kbase::Result<bool> MyCache::get(Call&, std::string_view key, kbase::Visitor<std::string_view> visitor) {
  std::shared_ptr<const std::string> value;
  {
    const std::lock_guard lock(mutex_);
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) return false;
    const auto entry = found->second;
    if (entry->expires <= clock_.steady()) {
      forget(key);
      return false;
    }
    entries_.splice(entries_.begin(), entries_, entry);
    value = entry->value;
  }
  visitor(*value);
  return true;
}

kbase::Status MyCache::put(Call&, std::string_view key, std::string_view value,
                           std::chrono::milliseconds time_to_live) {
  const std::lock_guard lock(mutex_);
  forget(key);
  const std::size_t bytes = cost(key, value);
  if (bytes > max_bytes_) return {};
  while (bytes_ + bytes > max_bytes_) forget(entries_.back().key);
  entries_.push_front(
      {std::string(key), std::make_shared<const std::string>(value), after(clock_.steady(), time_to_live)});
  by_key_.emplace(entries_.front().key, entries_.begin());
  bytes_ += bytes;
  return {};
}

kbase::Status MyCache::erase(Call&, std::string_view key) {
  const std::lock_guard lock(mutex_);
  forget(key);
  return {};
}

kbase::Status MyCache::health(Call&) { return {}; }

void MyCache::forget(std::string_view key) {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return;
  const auto entry = found->second;
  bytes_ -= cost(entry->key, *entry->value);
  by_key_.erase(found);
  entries_.erase(entry);
}

}  // namespace mycache
