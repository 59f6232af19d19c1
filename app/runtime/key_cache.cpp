// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/key_cache.hpp"

#include <mutex>

namespace kbase::runtime {
namespace {

constexpr std::chrono::minutes kGoodWithoutStore{5};
/// Beyond this everything is forgotten: a flood of made-up keys costs look-ups, not memory.
constexpr std::size_t kMostKnown = 10'000;

}  // namespace

void KeyCache::refresh() {
  ports::Call call;
  const auto revision = store_.revision(call);
  const std::unique_lock lock(mutex_);
  const auto now = clock_.steady();
  const bool changed = revision && *revision != revision_;
  if (changed || (!revision && now - reached_ > kGoodWithoutStore)) {
    known_.clear();
    ++generation_;
  }
  if (!revision) return;
  revision_ = *revision;
  reached_ = now;
}

void KeyCache::clear() {
  const std::unique_lock lock(mutex_);
  known_.clear();
  ++generation_;
}

model::Result<std::optional<model::ApiKey>> KeyCache::find(ports::Call& call, const model::KeyDigest& digest) {
  std::uint64_t generation = 0;
  {
    const std::shared_lock lock(mutex_);
    if (const auto known = known_.find(digest); known != known_.end()) return known->second;
    generation = generation_;
  }
  auto found = store_.find(call, digest);
  if (!found) return found;
  const std::unique_lock lock(mutex_);
  if (generation != generation_) return found;  // it may be older than what made us forget
  if (known_.size() >= kMostKnown) known_.clear();
  known_.emplace(digest, *found);
  return found;
}

}  // namespace kbase::runtime
