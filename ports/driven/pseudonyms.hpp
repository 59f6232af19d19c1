// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "domain/model/plan.hpp"

namespace kbase::ports {

/// A client's pseudonym in the log: 16 hexadecimal digits.
using Pseudonym = std::array<char, 16>;

/// Computes the pseudonyms that distinguish clients in the log without revealing them: the first 64 bits of
/// HMAC-SHA-256 (RFC 2104) of the client id. A plain hash would not protect them, as all IPv4 addresses can be hashed
/// in a minute. Any thread; never fails.
class Pseudonyms {
 public:
  virtual ~Pseudonyms() = default;

  /// Stays the same while the secret stays the same.
  virtual Pseudonym of(const model::ClientId& client_id) const = 0;
};

}  // namespace kbase::ports
