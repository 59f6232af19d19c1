// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/keys_and_plans.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

namespace kbase::runtime {
namespace {

bool was_admitted(const ports::Admission& admission) {
  using Verdict = ports::Admission::Verdict;
  return admission.verdict == Verdict::Admitted || admission.verdict == Verdict::BadKey;
}

/// Returns the present state of a window from its last known state; it is full again after its reset.
model::WindowState current_window(model::WindowState last, std::uint32_t limit, model::Instant now,
                                  model::Instant next) {
  return last.reset > now ? last : model::WindowState{limit, next};
}

}  // namespace

void UsageCounter::count(std::string_view key, model::Day day) {
  Shard& shard = shards_[std::hash<std::string_view>()(key) % kShards];
  const std::lock_guard lock(shard.mutex);
  auto known = shard.counts.find(key);
  if (known == shard.counts.end()) known = shard.counts.emplace(key, Days()).first;
  ++known->second[day];
}

Status UsageCounter::flush() {
  collect();
  std::vector<ports::KeyUsage> usage;
  model::Day newest = model::Day::min();
  for (const auto& [key, days] : pending_)
    for (const auto& [day, requests] : days) {
      usage.push_back({key, day, requests});
      newest = std::max(newest, day);
    }
  if (usage.empty()) return {};
  ports::Call call;
  call.deadline = clock_.steady() + kTimeout;
  const auto added = store_.add_usage(call, usage);
  if (!added) failures_.record(log_, "the request counts of API keys cannot be stored", added.error());
  const bool is_supported = added || added.error().code != ErrorCode::Unsupported;
  if (!added && is_supported) return added;
  pending_.clear();
  if (!is_supported) return {};
  failures_.end();
  delete_before(call, newest - kRetention);
  return {};
}

Status UsageCounter::finish() {
  const auto flushed = flush();
  if (flushed) return {};
  std::uint64_t requests = 0;
  for (const auto& [key, days] : pending_)
    for (const auto& [day, count] : days) requests += count;
  const ports::LogField fields[] = {{"requests", requests}, {"cause", log_cause(flushed.error())}};
  log_.log(
      ports::LogLevel::Error, "keys.usage_lost",
      "the store refused the last request counts of API keys, so the usage report lacks these requests; fix the cause "
      "before the next stop. Rate limits are not affected",
      fields);
  return flushed;
}

/// Deletes old days once per day. A failure is retried after the next write; store errors are reported by that write.
void UsageCounter::delete_before(ports::Call& call, model::Day first) {
  if (first <= deleted_before_) return;
  const auto deleted = store_.delete_usage_before(call, first);
  if (deleted || deleted.error().code == ErrorCode::Unsupported) deleted_before_ = first;
}

void UsageCounter::collect() {
  for (Shard& shard : shards_) {
    Counts counts;
    {
      const std::lock_guard lock(shard.mutex);
      counts.swap(shard.counts);
    }
    for (const auto& [key, days] : counts)
      for (const auto& [day, requests] : days) pending_[key][day] += requests;
  }
}

ports::Admission CountedAccess::admit(ports::Call& call, const ports::Client& client,
                                      ports::AcquireRequest::Mode mode) {
  ports::Admission admission = deps_.access.admit(call, client, mode);
  if (mode == ports::AcquireRequest::Mode::Peek || !was_admitted(admission)) return admission;
  find_or_create_counters(admission.plan.name)[admission.has_key ? 1 : 0]->add();
  if (admission.has_key) deps_.usage.count(admission.key_id, model::day_of(deps_.clock.now()));
  return admission;
}

const CountedAccess::PlanCounters& CountedAccess::find_or_create_counters(const std::string& plan) {
  {
    const std::shared_lock lock(mutex_);
    if (const auto known = by_plan_.find(plan); known != by_plan_.end()) return known->second;
  }
  const auto counter = [&](std::string_view client_kind) {
    return &deps_.metrics.counter("kbase_quota_requests_total", "Admitted requests, by the plan whose limits applied.",
                                  {{"plan", plan}, {"client", client_kind}});
  };
  const PlanCounters counters{counter("address"), counter("key")};
  const std::unique_lock lock(mutex_);
  return by_plan_.emplace(plan, counters).first->second;
}

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
  if (has_quota && admission.client_id) store_quota(client, admission);
  return admission;
}

ports::Admission LastQuota::admission_without_charge(const ports::Client& client) const {
  if (client.credential)
    if (auto known = find_admission(*client.credential)) return *std::move(known);
  if (auto known = find_admission(client.address)) return *std::move(known);
  return access_.admission_without_charge(client);
}

LastQuota::ClientHash LastQuota::hash_client(std::string_view text) const noexcept {
  const XXH128_hash_t hash = ::XXH3_128bits_withSeed(text.data(), text.size(), seed_);
  return {hash.high64, hash.low64};
}

void LastQuota::store_quota(const ports::Client& client, const ports::Admission& admission) {
  const ClientHash hash = hash_client(admission.has_key && client.credential ? *client.credential : client.address);
  Shard& shard = shards_[hash.high % kShards];
  const std::lock_guard lock(shard.mutex);
  shard.entries[hash.low % kEntriesPerShard] = {hash,
                                                *admission.client_id,
                                                admission.plan.limits,
                                                admission.decision.minute,
                                                admission.decision.day,
                                                admission.has_key};
}

std::optional<ports::Admission> LastQuota::find_admission(std::string_view text) const {
  const ClientHash hash = hash_client(text);
  Shard& shard = shards_[hash.high % kShards];
  Entry known;
  {
    const std::lock_guard lock(shard.mutex);
    known = shard.entries[hash.low % kEntriesPerShard];
  }
  if (known.client != hash) return std::nullopt;
  const model::Instant now = clock_.now();
  ports::Admission admission;
  admission.has_key = known.has_key;
  admission.client_id = known.client_id;
  admission.plan.limits = known.limits;
  admission.decision = {true, current_window(known.minute, known.limits.per_minute, now, now + std::chrono::minutes(1)),
                        current_window(known.day, known.limits.per_day, now, model::next_midnight(now))};
  return admission;
}

}  // namespace kbase::runtime
