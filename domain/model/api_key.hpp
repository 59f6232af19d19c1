// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "domain/model/day.hpp"

namespace kbase::model {

/// SHA-256 of a key's text (FIPS 180-4): all a store ever holds of it.
using KeyDigest = std::array<std::uint8_t, 32>;

/// What a key may be used for; a set of bits.
enum class Scope : std::uint8_t { Read = 1, Llm = 2, Codehost = 4 };
using Scopes = std::uint32_t;
inline constexpr Scopes kAllScopes = 7;

inline bool has_scope(Scopes scopes, Scope scope) {
  return (scopes & static_cast<Scopes>(scope)) != 0;
}

/// "read", "llm", "codehost"; nullopt for another word.
std::optional<Scope> scope_named(std::string_view name);

/// The names of `scopes`, comma-separated, as `keys create --scopes` takes them.
std::string names_of(Scopes scopes);

/// A key as a store holds it. After a rotation the digest it replaced stays good until `previous_expires`.
struct ApiKey {
  std::string id;
  std::string name;
  std::string plan;
  KeyDigest digest{};
  std::optional<KeyDigest> previous_digest;
  Instant previous_expires{};
  std::optional<Instant> expires;
  Scopes scopes = kAllScopes;
  Instant created{};
  bool revoked = false;
};

/// Whether the key is neither revoked nor expired.
bool is_alive(const ApiKey& key, Instant now);

/// Whether the key that has this digest is good at `now`.
bool is_good(const ApiKey& key, const KeyDigest& digest, Instant now);

/// A key's text (docs/guide/api-keys.md): "kb_", 32 base62 characters, and their CRC-32 as 6 base62 digits.
inline constexpr std::size_t kKeyTextLength = 41;

/// Makes a key's text of random numbers; takes 32 values below 62.
std::string key_text(const std::array<std::uint8_t, 32>& digits);

/// Whether `text` has a key's form and its checksum holds, so that a typo needs no look-up.
bool is_key_text(std::string_view text);

}  // namespace kbase::model
