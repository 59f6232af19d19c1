// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "domain/model/api_key.hpp"
#include "domain/model/day.hpp"
#include "domain/model/function_ref.hpp"
#include "domain/model/result.hpp"
#include "ports/driven/call.hpp"

namespace kbase::ports {

/// Requests that were charged to one key on one UTC day.
struct KeyUsage {
  std::string_view id;
  model::Day day;
  std::uint64_t requests = 0;
};

/// The keys, by id and by the SHA-256 of their text. A store keeps what it is given and judges nothing: whether a key
/// is expired or revoked is the domain's question.
///
/// Thread-safety: any thread, any number at a time. Errors: as ItemStore.
/// Contract suite: plugins/conformance/api_key_store_suite.
class ApiKeyStore {
 public:
  virtual ~ApiKeyStore() = default;

  /// Grows with every change, whoever made it; asked each second by servers that remember keys.
  virtual model::Result<std::uint64_t> revision(Call& call) = 0;

  /// The key whose digest, or the one it replaced at a rotation, is this; nullopt: there is none.
  virtual model::Result<std::optional<model::ApiKey>> find(Call& call, const model::KeyDigest& digest) = 0;

  /// nullopt: there is none of this id.
  virtual model::Result<std::optional<model::ApiKey>> get(Call& call, std::string_view id) = 0;

  /// Every key, by id.
  virtual model::Status list(Call& call, model::Visitor<model::ApiKey> visitor) = 0;

  /// Adds a key. Conflict: its id or digest exists.
  virtual model::Status create(Call& call, const model::ApiKey& key) = 0;

  /// Replaces the key of the same id. NotFound. Conflict: another key has the digest.
  virtual model::Status update(Call& call, const model::ApiKey& key) = 0;

  /// Adds to the counts of keys and days, all of it or nothing, and leaves the revision as it is. Ids are not compared
  /// with the keys: those of the configuration are counted here too. Unsupported: the store keeps no usage.
  virtual model::Status add_usage(Call& call, std::span<const KeyUsage> usage) = 0;

  /// Every count of the days from `first` to `last`, both included, by id, then day. Unsupported: as add_usage.
  virtual model::Status usage(Call& call, model::Day first, model::Day last, model::Visitor<KeyUsage> visitor) = 0;

  /// The last day that has a count of the id; nullopt: none has. Unsupported: as add_usage.
  virtual model::Result<std::optional<model::Day>> last_used(Call& call, std::string_view id) = 0;

  /// Drops the counts of the days before `first`, and leaves the revision as it is. Unsupported: as add_usage.
  virtual model::Status forget_usage(Call& call, model::Day first) = 0;

  /// Whether revision, find and get never block longer than a page fault: they may run on a reactor thread.
  virtual bool has_inline_reads() const { return false; }
};

}  // namespace kbase::ports
