// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/last_quota.hpp"

#include <xxhash.h>

#include <cstring>

namespace kbase::runtime {
namespace {

/// Returns the present state of a window from its last known state; it is full again after its reset.
model::WindowState window_now(model::WindowState seen, std::uint32_t limit, model::Instant now, model::Instant next) {
  return seen.reset > now ? seen : model::WindowState{limit, next};
}

}  // namespace

LastQuota::LastQuota(ports::Access& access, const ports::Clock& clock, ports::Random& random)
    : access_(access), clock_(clock) {
  std::array<std::uint8_t, sizeof seed_> bytes;
  random.fill(bytes);
  std::memcpy(&seed_, bytes.data(), bytes.size());
}

ports::Admission LastQuota::admit(ports::Call& call, const ports::Client& client, ports::AcquireRequest::Mode mode) {
  using Verdict = ports::Admission::Verdict;
  ports::Admission admission = access_.admit(call, client, mode);
  const bool has_quota = admission.verdict != Verdict::KeyUnchecked && admission.verdict != Verdict::Unavailable;
  if (has_quota && admission.client_id) remember(client, admission);
  return admission;
}

ports::Admission LastQuota::unasked(const ports::Client& client) const {
  if (client.credential)
    if (auto known = recall(*client.credential)) return *std::move(known);
  if (auto known = recall(client.address)) return *std::move(known);
  return access_.unasked(client);
}

LastQuota::Whom LastQuota::whom(std::string_view text) const noexcept {
  const XXH128_hash_t hash = ::XXH3_128bits_withSeed(text.data(), text.size(), seed_);
  return {hash.high64, hash.low64};
}

void LastQuota::remember(const ports::Client& client, const ports::Admission& admission) {
  const Whom who = whom(admission.has_key && client.credential ? *client.credential : client.address);
  Shard& shard = shards_[who.high % kShards];
  const std::lock_guard lock(shard.mutex);
  shard.places[who.low % kPlacesPerShard] = {who,
                                             *admission.client_id,
                                             admission.plan.limits,
                                             admission.decision.minute,
                                             admission.decision.day,
                                             admission.has_key};
}

std::optional<ports::Admission> LastQuota::recall(std::string_view text) const {
  const Whom who = whom(text);
  Shard& shard = shards_[who.high % kShards];
  Stats known;
  {
    const std::lock_guard lock(shard.mutex);
    known = shard.places[who.low % kPlacesPerShard];
  }
  if (known.whom != who) return std::nullopt;
  const model::Instant now = clock_.now();
  ports::Admission admission;
  admission.has_key = known.has_key;
  admission.client_id = known.client_id;
  admission.plan.limits = known.limits;
  admission.decision = {true, window_now(known.minute, known.limits.per_minute, now, now + std::chrono::minutes(1)),
                        window_now(known.day, known.limits.per_day, now, model::next_midnight(now))};
  return admission;
}

}  // namespace kbase::runtime
