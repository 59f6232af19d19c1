// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/key_cache.hpp"

#include <mutex>

namespace kbase::runtime {
namespace {

constexpr std::chrono::minutes kGoodWithoutStore{5};
/// A store that hangs counts as unavailable until the next poll.
constexpr std::chrono::seconds kTimeout{2};
/// Maximum entries of each kind, known and unknown. At the limit, all entries of the kind are dropped.
constexpr std::size_t kMost = 10'000;

}  // namespace

void KeyCache::refresh() {
  ports::Call call;
  call.deadline = clock_.steady() + kTimeout;
  const auto revision = store_.revision(call);
  if (!revision) return;
  const std::unique_lock lock(mutex_);
  if (*revision != revision_) forget();
  revision_ = *revision;
  reached_ = clock_.steady();
}

void KeyCache::clear() {
  const std::unique_lock lock(mutex_);
  forget();
}

model::Result<std::optional<model::ApiKey>> KeyCache::find(ports::Call& call, const model::KeyDigest& digest) {
  std::uint64_t generation = 0;
  {
    const std::shared_lock lock(mutex_);
    if (auto known = recall(digest)) return *std::move(known);
    generation = generation_;
  }
  auto found = store_.find(call, digest);
  if (!found) return found;
  const std::unique_lock lock(mutex_);
  if (generation == generation_) remember(digest, *found);  // else it may be older than the change
  return found;
}

/// nullopt: not in the cache, or expired. Requires a lock on mutex_.
std::optional<KeyCache::Found> KeyCache::recall(const model::KeyDigest& digest) const {
  if (clock_.steady() - reached_ > kGoodWithoutStore) return std::nullopt;
  if (const auto key = known_.find(digest); key != known_.end()) return Found(key->second);
  if (unknown_.contains(digest)) return Found();
  return std::nullopt;
}

void KeyCache::remember(const model::KeyDigest& digest, const Found& found) {
  if (found) {
    if (known_.size() >= kMost) known_.clear();
    known_.insert_or_assign(digest, *found);
    unknown_.erase(digest);
  } else {
    if (unknown_.size() >= kMost) unknown_.clear();
    unknown_.insert(digest);
    known_.erase(digest);
  }
}

void KeyCache::forget() {
  known_.clear();
  unknown_.clear();
  ++generation_;
}

}  // namespace kbase::runtime
