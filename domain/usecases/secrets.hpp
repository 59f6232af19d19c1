// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "domain/base/encoding.hpp"
#include "ports/driven/crypto.hpp"

namespace kbase::usecases {

/// Number of bytes of a secret that a client keeps: of a link in a mail, of a session.
inline constexpr std::size_t kSecretBytes = 32;

/// Generates the text of a secret: 64 hexadecimal digits.
inline std::string generate_secret(ports::Random& random) {
  std::array<std::uint8_t, kSecretBytes> bytes;
  random.fill(bytes);
  return to_hex(bytes);
}

/// Generates an id: `prefix` and 12 characters with 60 random bits.
inline std::string generate_id(ports::Random& random, std::string_view prefix) {
  constexpr std::string_view kAlphabet = "abcdefghijklmnopqrstuvwxyz234567";
  std::array<std::uint8_t, 12> bytes;
  random.fill(bytes);
  std::string id(prefix);
  for (const std::uint8_t byte : bytes) id += kAlphabet[byte % kAlphabet.size()];
  return id;
}

}  // namespace kbase::usecases
