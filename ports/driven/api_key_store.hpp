// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "domain/base/function_ref.hpp"
#include "domain/base/result.hpp"
#include "domain/model/api_key.hpp"
#include "domain/model/day.hpp"
#include "ports/driven/call.hpp"

namespace kbase::ports {

/// Number of requests charged to one key on one UTC day.
struct KeyUsage {
  std::string_view id;
  model::Day day;
  std::uint64_t requests = 0;
};

/// Stores API keys by id and by the SHA-256 of their text. Does not evaluate expiry or revocation; the domain does.
///
/// Thread-safety: any thread, concurrent calls allowed. Errors: see ItemStore.
/// Contract suite: plugins/conformance/api_key_store_suite.
class ApiKeyStore {
 public:
  virtual ~ApiKeyStore() = default;

  /// Grows with each change by any process. Servers that cache keys poll it every second.
  virtual Result<std::uint64_t> revision(Call& call) = 0;

  /// Finds the key whose current or previous digest is `digest`. nullopt: no key has it.
  virtual Result<std::optional<model::ApiKey>> find(Call& call, const model::KeyDigest& digest) = 0;

  /// nullopt: no key has this id.
  virtual Result<std::optional<model::ApiKey>> get(Call& call, std::string_view id) = 0;

  /// Visits all keys, by id.
  virtual Status list(Call& call, Visitor<model::ApiKey> visitor) = 0;

  /// Adds a key. Conflict: its id or digest already exists.
  virtual Status create(Call& call, const model::ApiKey& key) = 0;

  /// Replaces the key with the same id. With has_accounts(), a revoked key stays revoked, whatever `key` says: who
  /// changes another member has read the key before someone revoked it. NotFound: no key has this id. Conflict: another
  /// key has the digest.
  virtual Status update(Call& call, const model::ApiKey& key) = 0;

  /// Adds all counts atomically. The revision does not change. Ids are not checked against the stored keys: keys of the
  /// configuration are counted here too. Unsupported: the store does not record usage.
  virtual Status add_usage(Call& call, std::span<const KeyUsage> usage) = 0;

  /// Visits all counts of the days from `first` to `last` (both inclusive), by id, then by day. Unsupported: see
  /// add_usage.
  virtual Status usage(Call& call, model::Day first, model::Day last, Visitor<KeyUsage> visitor) = 0;

  /// Returns the last day with a count for `id`. nullopt: no day has one. Unsupported: see add_usage.
  virtual Result<std::optional<model::Day>> last_used(Call& call, std::string_view id) = 0;

  /// Deletes the counts of days before `first`. The revision does not change. Unsupported: see add_usage.
  virtual Status delete_usage_before(Call& call, model::Day first) = 0;

  /// Whether the store keeps `account` and `suspended` of a key, supports the functions below, and never takes back a
  /// revocation.
  virtual bool has_accounts() const { return false; }

  /// Visits the keys of an account, by id. Unsupported: see has_accounts().
  virtual Status list_of(Call& call, std::string_view account, Visitor<model::ApiKey> visitor);

  /// Visits the counts of a key for the days from `first` to `last` (both inclusive), by day. Unsupported: see
  /// has_accounts().
  virtual Status usage_of(Call& call, std::string_view id, model::Day first, model::Day last,
                          Visitor<KeyUsage> visitor);

  /// Deletes a key and its counts. NotFound: no key has this id. Unsupported: see has_accounts().
  virtual Status remove(Call& call, std::string_view id);

  /// Whether revision, find and get never block longer than a page fault, so that a reactor thread may call them.
  virtual bool has_inline_reads() const { return false; }
};

inline Status ApiKeyStore::list_of(Call&, std::string_view, Visitor<model::ApiKey>) {
  return Error{ErrorCode::Unsupported, "the key store keeps no accounts"};
}

inline Status ApiKeyStore::usage_of(Call&, std::string_view, model::Day, model::Day, Visitor<KeyUsage>) {
  return Error{ErrorCode::Unsupported, "the key store keeps no accounts"};
}

inline Status ApiKeyStore::remove(Call&, std::string_view) {
  return Error{ErrorCode::Unsupported, "the key store keeps no accounts"};
}

}  // namespace kbase::ports
