// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "domain/model/api_key.hpp"
#include "ports/driven/crypto.hpp"

namespace kbase::usecases {

/// Returns the id under which the rate limiter counts a client. `kind` prevents a key whose id looks like an address
/// from sharing the counts of the address.
inline model::ClientId client_id_of(const ports::Digest& digest, std::string_view kind, std::string_view name) {
  const auto hash = digest.sha256(std::string(kind) + ':' + std::string(name));
  model::ClientId client_id;
  std::copy_n(hash.begin(), client_id.size(), client_id.begin());
  return client_id;
}

inline model::ClientId client_id_of_key(const ports::Digest& digest, std::string_view key_id) {
  return client_id_of(digest, "key", key_id);
}

}  // namespace kbase::usecases
