// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "domain/base/function_ref.hpp"
#include "domain/base/result.hpp"
#include "domain/model/api_key.hpp"
#include "ports/driven/api_key_store.hpp"
#include "ports/driven/call.hpp"

namespace kbase::ports {

struct NewKey {
  std::string_view name;
  std::string_view plan;
  std::optional<model::Instant> expires;
  model::Scopes scopes = model::kAllScopes;
};

/// Changes to a key. Absent members remain unchanged.
struct KeyChange {
  std::optional<std::string> name;
  std::optional<std::string> plan;
  std::optional<std::optional<model::Instant>> expires;  ///< nullopt inside: the key never expires
  std::optional<model::Scopes> scopes;
};

/// A key and its text, which is shown only once and never stored.
struct IssuedKey {
  model::ApiKey key;
  std::string text;
};

/// Administration of API keys. NotFound: there is no key with this id. InvalidArgument: an unknown plan,
/// an invalid name, a past expiry, or the rotation of a revoked or expired key.
class KeyAdministration {
 public:
  virtual ~KeyAdministration() = default;
  virtual Result<IssuedKey> create(Call& call, const NewKey& key) = 0;
  virtual Status list(Call& call, Visitor<model::ApiKey> visitor) = 0;
  virtual Status revoke(Call& call, std::string_view id) = 0;
  /// Replaces the text of a key. The old text stays valid for `grace`.
  virtual Result<IssuedKey> rotate(Call& call, std::string_view id, std::chrono::seconds grace) = 0;
  virtual Result<model::ApiKey> update(Call& call, std::string_view id, const KeyChange& change) = 0;
  /// Visits the requests made with keys, see ApiKeyStore::usage.
  virtual Status usage(Call& call, model::Day first, model::Day last, Visitor<KeyUsage> visitor) = 0;
  /// Returns the last day with requests of the key, see ApiKeyStore::last_used.
  virtual Result<std::optional<model::Day>> last_used(Call& call, std::string_view id) = 0;
};

}  // namespace kbase::ports
