// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/search/completion_memory.hpp"

#include <algorithm>
#include <utility>

namespace kbase::native_index {
namespace {

constexpr std::size_t kLongestRemembered = 3;  // bytes
constexpr std::size_t kMostRemembered = 4096;

}  // namespace

CompletionMemory::Completions CompletionMemory::complete(const Snapshot& snapshot, std::string_view beginning,
                                                         std::size_t limit) {
  const auto look = [&] {
    return std::make_shared<const std::vector<NamedCount>>(native_index::complete(snapshot, beginning, limit));
  };
  if (beginning.size() > kLongestRemembered) return look();
  std::string key(beginning);
  if (Completions found = find(snapshot, key, limit)) return found;
  Completions completions = look();
  remember(snapshot, std::move(key), {limit, completions});
  return completions;
}

CompletionMemory::Completions CompletionMemory::find(const Snapshot& snapshot, const std::string& beginning,
                                                     std::size_t limit) {
  const std::lock_guard lock(mutex_);
  if (!is_of(snapshot)) return nullptr;
  const auto found = remembered_.find(beginning);
  return found != remembered_.end() && found->second.limit >= limit ? found->second.completions : nullptr;
}

/// Adds to the cache; clears it first if it was computed for other content.
void CompletionMemory::remember(const Snapshot& snapshot, std::string beginning, Remembered found) {
  const std::lock_guard lock(mutex_);
  if (!is_of(snapshot)) {
    remembered_.clear();
    contents_.clear();
    for (const LiveSegment& live : snapshot.segments) contents_.push_back({live.segment, live.deleted});
  }
  if (remembered_.size() < kMostRemembered) remembered_.insert_or_assign(std::move(beginning), std::move(found));
}

bool CompletionMemory::is_of(const Snapshot& snapshot) const {
  return std::equal(contents_.begin(), contents_.end(), snapshot.segments.begin(), snapshot.segments.end(),
                    [](const Content& content, const LiveSegment& live) {
                      return content.segment.lock() == live.segment && content.deleted.lock() == live.deleted;
                    });
}

}  // namespace kbase::native_index
