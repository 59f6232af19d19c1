// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "domain/model/api_key.hpp"
#include "domain/model/function_ref.hpp"
#include "domain/model/result.hpp"
#include "ports/driven/api_key_store.hpp"
#include "ports/driven/call.hpp"

namespace kbase::ports {

struct NewKey {
  std::string_view name;
  std::string_view plan;
  std::optional<model::Instant> expires;
  model::Scopes scopes = model::kAllScopes;
};

/// What changes about a key; absent members stay.
struct KeyChange {
  std::optional<std::string> name;
  std::optional<std::string> plan;
  std::optional<std::optional<model::Instant>> expires;  ///< to nullopt: never
  std::optional<model::Scopes> scopes;
};

/// A key and its text, which is shown this once and kept nowhere.
struct IssuedKey {
  model::ApiKey key;
  std::string text;
};

/// The operator's hands on the keys. NotFound: no key of this id. InvalidArgument: an unknown plan, an empty name.
class KeyAdministration {
 public:
  virtual ~KeyAdministration() = default;
  virtual model::Result<IssuedKey> create(Call& call, const NewKey& key) = 0;
  virtual model::Status list(Call& call, model::Visitor<model::ApiKey> visitor) = 0;
  virtual model::Status revoke(Call& call, std::string_view id) = 0;
  /// A new text for the same key; the old one stays good for `grace`.
  virtual model::Result<IssuedKey> rotate(Call& call, std::string_view id, std::chrono::seconds grace) = 0;
  virtual model::Result<model::ApiKey> update(Call& call, std::string_view id, const KeyChange& change) = 0;
  /// The requests that keys made, as ApiKeyStore::usage.
  virtual model::Status usage(Call& call, model::Day first, model::Day last, model::Visitor<KeyUsage> visitor) = 0;
  /// The last day with requests of the key, as ApiKeyStore::last_used.
  virtual model::Result<std::optional<model::Day>> last_used(Call& call, std::string_view id) = 0;
};

}  // namespace kbase::ports
