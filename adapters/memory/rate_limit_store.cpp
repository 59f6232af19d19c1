// SPDX-License-Identifier: Apache-2.0
#include "adapters/memory/rate_limit_store.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <optional>

namespace kbase::memory {
namespace {

using ports::Call;
using ports::Take;
using ports::Taken;

// So many subjects each that the shards of a full table fill evenly; a small table is one shard and exact.
constexpr std::size_t kShards = 64;
constexpr std::size_t kSubjectsWorthSharding = 64 * 1024;

// How many subjects of a full shard are compared before one of them goes: enough to find a cheap one, in about 10 µs.
constexpr std::size_t kCompared = 16;

std::size_t shards_for(std::size_t max_subjects) {
  return max_subjects >= kSubjectsWorthSharding ? kShards : 1;
}

}  // namespace

/// Subjects are hashes, but nobody need rely on all their bits being so: the finalizer of SplitMix64 (Steele, Lea,
/// Flood: Fast splittable pseudorandom number generators, 2014) spreads both halves over all bits.
std::size_t MemoryRateLimitStore::SubjectHash::operator()(const model::Subject& subject) const noexcept {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::memcpy(&low, subject.data(), sizeof low);
  std::memcpy(&high, subject.data() + sizeof low, sizeof high);
  std::uint64_t hash = low + high * 0x9E3779B97F4A7C15U;
  hash = (hash ^ (hash >> 30U)) * 0xBF58476D1CE4E5B9U;
  hash = (hash ^ (hash >> 27U)) * 0x94D049BB133111EBU;
  return hash ^ (hash >> 31U);
}

MemoryRateLimitStore::MemoryRateLimitStore(const ports::Clock& clock, RateLimitOptions options)
    : clock_(clock),
      shards_(shards_for(options.max_subjects)),
      max_subjects_of_shard_(std::max<std::size_t>(1, options.max_subjects / shards_.size())) {}

ports::RateLimitStore::Capabilities MemoryRateLimitStore::capabilities() const {
  return {.inline_calls = true, .shared = false};
}

MemoryRateLimitStore::Shard& MemoryRateLimitStore::shard_of(const model::Subject& subject) {
  return shards_[(SubjectHash{}(subject) >> 48U) % shards_.size()];  // the table uses the low bits
}

model::Status MemoryRateLimitStore::take(Call&, std::span<const Take* const> takes, std::span<Taken* const> taken) {
  assert(takes.size() == taken.size());
  for (std::size_t i = 0; i < takes.size(); ++i) {
    auto answer = take(*takes[i]);
    if (!answer) return answer.error();
    *taken[i] = *answer;
  }
  return {};
}

model::Result<Taken> MemoryRateLimitStore::take(const Take& take) {
  Shard& shard = shard_of(take.subject);
  const std::lock_guard lock(shard.mutex);
  // Read under the lock: a subject's takes then see time in the order in which they are counted.
  const model::Instant now = clock_.now();
  const std::uint32_t cost = take.mode == Take::Mode::Peek ? 0 : take.cost;
  if (const auto known = shard.subjects.find(take.subject); known != shard.subjects.end())
    return known->second.take(now, take.limits, cost);

  SubjectWindows windows;
  const Taken taken = windows.take(now, take.limits, cost);
  if (windows.is_idle(now)) return taken;
  if (shard.subjects.size() >= max_subjects_of_shard_ && !make_room(shard, now))
    return model::Error{model::ErrorCode::Unavailable,
                        "too many clients have used up their limits; try again later",
                        "memory rate limits: all " + std::to_string(max_subjects_of_shard_) +
                            " places of a shard are held by exhausted subjects; raise max_subjects",
                        {},
                        std::chrono::seconds(60)};
  shard.subjects.emplace(take.subject, std::move(windows));
  return taken;
}

bool MemoryRateLimitStore::make_room(Shard& shard, model::Instant now) {
  Subjects& subjects = shard.subjects;
  std::optional<model::Subject> cheapest;
  double most_left = 0;
  std::size_t compared = 0;
  for (std::size_t walked = 0; walked < subjects.bucket_count(); ++walked) {
    shard.hand = (shard.hand + 1) % subjects.bucket_count();
    for (auto entry = subjects.begin(shard.hand); entry != subjects.end(shard.hand); ++entry) {
      ++compared;
      if (entry->second.is_idle(now)) {
        subjects.erase(model::Subject(entry->first));
        return true;
      }
      if (entry->second.left() <= most_left) continue;  // also whoever has nothing left
      cheapest = entry->first;
      most_left = entry->second.left();
    }
    if (compared >= kCompared && cheapest) break;
  }
  if (!cheapest) return false;
  subjects.erase(*cheapest);
  ++forgotten_;
  return true;
}

std::size_t MemoryRateLimitStore::size() const {
  std::size_t size = 0;
  for (const Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    size += shard.subjects.size();
  }
  return size;
}

model::Status MemoryRateLimitStore::health(Call&) {
  return {};
}

}  // namespace kbase::memory
