// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/keys_and_plans.hpp"

#include <algorithm>

namespace kbase::runtime {
namespace {

/// Lifetime of cache entries after the last contact with the store.
constexpr std::chrono::minutes kMaxStaleness{5};
/// A store that hangs counts as unavailable until the next poll.
constexpr std::chrono::seconds kRevisionTimeout{2};
/// Maximum entries of each kind, known and unknown. At the limit, all entries of the kind are dropped.
constexpr std::size_t kMaxEntries = 10'000;

/// Keys that a list names; it only counts the others.
constexpr std::size_t kMaxListedKeys = 5;
/// Shorter than the watchdog's interval: a reload waits for the list on the thread that notifies the watchdog.
constexpr std::chrono::seconds kListTimeout{5};

}  // namespace

Result<std::optional<model::ApiKey>> ConfiguredKeys::find(ports::Call& call, const model::KeyDigest& digest) {
  for (const model::ApiKey& key : configured())
    if (key.digest == digest) return std::optional(key);
  return store_.find(call, digest);
}

Result<std::optional<model::ApiKey>> ConfiguredKeys::get(ports::Call& call, std::string_view id) {
  for (const model::ApiKey& key : configured())
    if (key.id == id) return std::optional(key);
  return store_.get(call, id);
}

Status ConfiguredKeys::list(ports::Call& call, Visitor<model::ApiKey> visitor) {
  for (const model::ApiKey& key : configured())
    if (visitor(key) == Visit::Stop) return {};
  return store_.list(call, visitor);
}

Status ConfiguredKeys::update(ports::Call& call, const model::ApiKey& key) {
  const auto configured_keys = configured();
  if (std::any_of(configured_keys.begin(), configured_keys.end(),
                  [&](const model::ApiKey& known) { return known.id == key.id; }))
    return invalid_argument("id", "key " + key.id + " is defined in the configuration file; change it there");
  return store_.update(call, key);
}

void ConfiguredKeys::replace(std::vector<model::ApiKey> keys) {
  const std::lock_guard lock(mutex_);
  keys_ = std::move(keys);
}

std::vector<model::ApiKey> ConfiguredKeys::configured() const {
  const std::lock_guard lock(mutex_);
  return keys_;
}

void KeyCache::refresh() {
  ports::Call call;
  call.deadline = clock_.steady() + kRevisionTimeout;
  const auto revision = store_.revision(call);
  if (!revision) return;
  const std::unique_lock lock(mutex_);
  if (*revision != revision_) drop_entries();
  revision_ = *revision;
  last_contact_ = clock_.steady();
}

void KeyCache::clear() {
  const std::unique_lock lock(mutex_);
  drop_entries();
}

Result<std::optional<model::ApiKey>> KeyCache::find(ports::Call& call, const model::KeyDigest& digest) {
  std::uint64_t generation = 0;
  {
    const std::shared_lock lock(mutex_);
    if (auto known = find_cached(digest)) return *std::move(known);
    generation = generation_;
  }
  auto found = store_.find(call, digest);
  if (!found) return found;
  const std::unique_lock lock(mutex_);
  if (generation == generation_) cache_result(digest, *found);  // else it may be older than the change
  return found;
}

/// nullopt: not in the cache, or expired. Requires a lock on mutex_.
std::optional<KeyCache::KeyOrNone> KeyCache::find_cached(const model::KeyDigest& digest) const {
  if (clock_.steady() - last_contact_ > kMaxStaleness) return std::nullopt;
  if (const auto key = known_.find(digest); key != known_.end()) return KeyOrNone(key->second);
  if (unknown_.contains(digest)) return KeyOrNone();
  return std::nullopt;
}

void KeyCache::cache_result(const model::KeyDigest& digest, const KeyOrNone& found) {
  if (found) {
    if (known_.size() >= kMaxEntries) known_.clear();
    known_.insert_or_assign(digest, *found);
    unknown_.erase(digest);
  } else {
    if (unknown_.size() >= kMaxEntries) unknown_.clear();
    unknown_.insert(digest);
    known_.erase(digest);
  }
}

void KeyCache::drop_entries() {
  known_.clear();
  unknown_.clear();
  ++generation_;
}

Result<std::string> list_keys_without_plan(ports::ApiKeyStore& store,
                                           FunctionRef<bool(const std::string& plan)> is_missing,
                                           const ports::Clock& clock) {
  std::string text;
  std::size_t count = 0;
  const model::Instant now = clock.now();
  ports::Call call;
  call.deadline = clock.steady() + kListTimeout;
  const auto listed = store.list(call, [&](const model::ApiKey& key) {
    if (!model::is_alive(key, now) || !is_missing(key.plan)) return Visit::Continue;
    if (++count <= kMaxListedKeys) text += (text.empty() ? "" : ", ") + key.id + " (" + key.plan + ")";
    return Visit::Continue;
  });
  if (!listed) return listed.error();
  if (count > kMaxListedKeys) text += " and " + std::to_string(count - kMaxListedKeys) + " more";
  return text;
}

}  // namespace kbase::runtime
