// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "domain/model/plan.hpp"

namespace kbase::ports {

/// A subject's name in the log: hexadecimal digits.
using Pseudonym = std::array<char, 16>;

/// Names by which the log tells subjects apart, and nobody without the secret tells who they are: the first 64 bits of
/// HMAC-SHA-256 (RFC 2104) of the subject. A plain hash would not do, as all IPv4 addresses are hashed in a minute. Any
/// thread; never fails.
class Pseudonyms {
 public:
  virtual ~Pseudonyms() = default;

  /// The same for as long as the secret is.
  virtual Pseudonym of(const model::ClientId& client_id) const = 0;
};

}  // namespace kbase::ports
