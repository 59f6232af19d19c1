// SPDX-License-Identifier: Apache-2.0
#include "adapters/memory/api_key_store.hpp"

#include <mutex>

namespace kbase::memory {
namespace {

using model::ApiKey;
using model::KeyDigest;
using ports::Call;

Error digest_conflict() { return {ErrorCode::Conflict, "another key has the same secret"}; }

}  // namespace

bool MemoryApiKeyStore::has_digest_conflict(const ApiKey& key) const {
  const auto is_of_another = [&](const KeyDigest& digest) {
    const auto owner = id_by_digest_.find(digest);
    return owner != id_by_digest_.end() && owner->second != key.id;
  };
  return is_of_another(key.digest) || (key.previous_digest && is_of_another(*key.previous_digest));
}

void MemoryApiKeyStore::index(const ApiKey& key) {
  id_by_digest_[key.digest] = key.id;
  if (key.previous_digest) id_by_digest_[*key.previous_digest] = key.id;
}

Result<std::uint64_t> MemoryApiKeyStore::revision(Call&) {
  const std::shared_lock lock(mutex_);
  return revision_;
}

Result<std::optional<ApiKey>> MemoryApiKeyStore::find(Call&, const KeyDigest& digest) {
  const std::shared_lock lock(mutex_);
  const auto owner = id_by_digest_.find(digest);
  if (owner == id_by_digest_.end()) return std::optional<ApiKey>();
  return std::optional(keys_.find(owner->second)->second);
}

Result<std::optional<ApiKey>> MemoryApiKeyStore::get(Call&, std::string_view id) {
  const std::shared_lock lock(mutex_);
  const auto key = keys_.find(id);
  if (key == keys_.end()) return std::optional<ApiKey>();
  return std::optional(key->second);
}

Status MemoryApiKeyStore::list(Call&, Visitor<ApiKey> visitor) {
  const std::shared_lock lock(mutex_);
  for (const auto& [id, key] : keys_)
    if (visitor(key) == Visit::Stop) break;
  return {};
}

Status MemoryApiKeyStore::create(Call&, const ApiKey& key) {
  const std::lock_guard lock(mutex_);
  if (keys_.contains(key.id)) return Error{ErrorCode::Conflict, "a key with this id already exists"};
  if (has_digest_conflict(key)) return digest_conflict();
  keys_.emplace(key.id, key);
  index(key);
  ++revision_;
  return {};
}

Status MemoryApiKeyStore::update(Call&, const ApiKey& key) {
  const std::lock_guard lock(mutex_);
  const auto known = keys_.find(key.id);
  if (known == keys_.end()) return Error{ErrorCode::NotFound, "there is no such key"};
  if (has_digest_conflict(key)) return digest_conflict();
  std::erase_if(id_by_digest_, [&key](const auto& entry) { return entry.second == key.id; });
  const bool was_revoked = known->second.revoked;
  known->second = key;
  known->second.revoked = key.revoked || was_revoked;
  index(key);
  ++revision_;
  return {};
}

Status MemoryApiKeyStore::list_of(Call&, std::string_view account, Visitor<ApiKey> visitor) {
  const std::shared_lock lock(mutex_);
  for (const auto& [id, key] : keys_)
    if (!account.empty() && key.account == account && visitor(key) == Visit::Stop) break;
  return {};
}

Status MemoryApiKeyStore::remove(Call&, std::string_view id) {
  const std::lock_guard lock(mutex_);
  const auto known = keys_.find(id);
  if (known == keys_.end()) return Error{ErrorCode::NotFound, "there is no such key"};
  std::erase_if(id_by_digest_, [id](const auto& entry) { return entry.second == id; });
  keys_.erase(known);
  if (const auto counts = usage_.find(id); counts != usage_.end()) usage_.erase(counts);
  ++revision_;
  return {};
}

Status MemoryApiKeyStore::add_usage(Call&, std::span<const ports::KeyUsage> usage) {
  const std::lock_guard lock(mutex_);
  for (const ports::KeyUsage& row : usage)
    if (row.requests != 0) usage_[std::string(row.id)][row.day] += row.requests;
  return {};
}

Status MemoryApiKeyStore::usage(Call&, model::Day first, model::Day last, Visitor<ports::KeyUsage> visitor) {
  const std::shared_lock lock(mutex_);
  for (const auto& [id, days] : usage_)
    for (auto day = days.lower_bound(first); day != days.end() && day->first <= last; ++day)
      if (visitor({id, day->first, day->second}) == Visit::Stop) return {};
  return {};
}

Status MemoryApiKeyStore::usage_of(Call&, std::string_view id, model::Day first, model::Day last,
                                   Visitor<ports::KeyUsage> visitor) {
  const std::shared_lock lock(mutex_);
  const auto days = usage_.find(id);
  if (days == usage_.end()) return {};
  for (auto day = days->second.lower_bound(first); day != days->second.end() && day->first <= last; ++day)
    if (visitor({days->first, day->first, day->second}) == Visit::Stop) break;
  return {};
}

Result<std::optional<model::Day>> MemoryApiKeyStore::last_used(Call&, std::string_view id) {
  const std::shared_lock lock(mutex_);
  const auto days = usage_.find(id);
  if (days == usage_.end()) return std::optional<model::Day>();
  return std::optional(days->second.rbegin()->first);
}

Status MemoryApiKeyStore::delete_usage_before(Call&, model::Day first) {
  const std::lock_guard lock(mutex_);
  for (auto& [id, days] : usage_) days.erase(days.begin(), days.lower_bound(first));
  std::erase_if(usage_, [](const auto& of_key) { return of_key.second.empty(); });
  return {};
}

}  // namespace kbase::memory
