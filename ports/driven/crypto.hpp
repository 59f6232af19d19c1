// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "domain/model/api_key.hpp"

namespace kbase::ports {

/// Cryptographically secure random bytes, for keys and ids. Any thread; never fails (the process aborts if the system
/// has no random source).
class Random {
 public:
  virtual ~Random() = default;
  virtual void fill(std::span<std::uint8_t> bytes) = 0;
};

/// SHA-256 (FIPS 180-4), used for stored keys and rate-limit keys. Any thread; never fails.
class Digest {
 public:
  virtual ~Digest() = default;
  virtual std::array<std::uint8_t, 32> sha256(std::string_view bytes) const = 0;
};

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

/// The signature of a text: 32 hexadecimal digits.
using Signature = std::array<char, 32>;

/// Signs what a client keeps and gives back, so that a client cannot change it: the first 128 bits of HMAC-SHA-256
/// (RFC 2104). Any thread; never fails.
class Signatures {
 public:
  virtual ~Signatures() = default;

  /// `text`: at most 64 bytes. Stays the same while the secret stays the same.
  virtual Signature of(std::string_view text) const = 0;
};

}  // namespace kbase::ports
