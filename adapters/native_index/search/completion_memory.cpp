// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/search/completion_memory.hpp"

#include <utility>

namespace kbase::native_index {
namespace {

constexpr std::size_t kLongestRemembered = 3;  // bytes
constexpr std::size_t kMostRemembered = 4096;

}  // namespace

CompletionMemory::Completions CompletionMemory::complete(const std::shared_ptr<const Snapshot>& snapshot,
                                                         std::string_view beginning, std::size_t limit) {
  const auto look = [&] {
    return std::make_shared<const std::vector<NamedCount>>(native_index::complete(*snapshot, beginning, limit));
  };
  if (beginning.size() > kLongestRemembered) return look();
  std::string key(beginning);
  if (Completions found = find(snapshot, key, limit)) return found;
  Completions completions = look();
  remember(snapshot, std::move(key), {limit, completions});
  return completions;
}

CompletionMemory::Completions CompletionMemory::find(const std::shared_ptr<const Snapshot>& snapshot,
                                                     const std::string& beginning, std::size_t limit) {
  const std::lock_guard lock(mutex_);
  if (snapshot_.lock() != snapshot) return nullptr;
  const auto found = remembered_.find(beginning);
  return found != remembered_.end() && found->second.limit >= limit ? found->second.completions : nullptr;
}

/// The snapshot asked about last counts as the newest.
void CompletionMemory::remember(const std::shared_ptr<const Snapshot>& snapshot, std::string beginning,
                                Remembered found) {
  const std::lock_guard lock(mutex_);
  if (snapshot_.lock() != snapshot) {
    remembered_.clear();
    snapshot_ = snapshot;
  }
  if (remembered_.size() < kMostRemembered) remembered_.insert_or_assign(std::move(beginning), std::move(found));
}

}  // namespace kbase::native_index
