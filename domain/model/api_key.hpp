// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "domain/model/day.hpp"

namespace kbase::model {

/// SHA-256 (FIPS 180-4) of a key's text. Stores hold only this digest, never the text.
using KeyDigest = std::array<std::uint8_t, 32>;

/// A permission of a key; one bit of Scopes.
enum class Scope : std::uint8_t { Read = 1, Llm = 2, Codehost = 4, Write = 8 };
using Scopes = std::uint32_t;
inline constexpr Scopes kDefaultScopes = 7;  ///< of a key that is created without scopes: all except Write
inline constexpr Scopes kKnownScopes = 15;

inline bool has_scope(Scopes scopes, Scope scope) { return (scopes & static_cast<Scopes>(scope)) != 0; }

/// Parses "read", "llm", "codehost" or "write". nullopt: unknown name.
std::optional<Scope> scope_named(std::string_view name);

/// Returns the names of `scopes`, separated by commas, such as "read,llm".
std::string names_of(Scopes scopes);

/// An API key as stored. After a rotation, `previous_digest` stays valid until `previous_expires`.
struct ApiKey {
  std::string id;
  std::string name;
  std::string plan;
  KeyDigest digest{};
  std::optional<KeyDigest> previous_digest;
  Instant previous_expires{};
  std::optional<Instant> expires;
  Scopes scopes = kDefaultScopes;
  Instant created{};
  bool revoked = false;
  std::string account;     ///< id of the account that owns the key; empty: an operator created it
  bool suspended = false;  ///< the account is not active
};

/// Whether the key is neither revoked nor suspended nor expired at `now`.
bool is_alive(const ApiKey& key, Instant now);

/// Whether `digest` authenticates with this key at `now`: it is the current digest, or the previous one within its
/// grace period, and is_alive() is true.
bool authenticates(const ApiKey& key, const KeyDigest& digest, Instant now);

/// Length of a key's text (docs/guide/api-keys.md): "kb_", 32 base62 characters, and their CRC-32 as 6 base62 digits.
inline constexpr std::size_t kKeyTextLength = 41;

/// Builds a key's text from 32 random digits, each below 62.
std::string key_text(const std::array<std::uint8_t, 32>& digits);

/// Whether `text` has the format of a key and a valid checksum. Rejects typing errors without a query to the key store.
bool is_key_text(std::string_view text);

/// Maximum number of requests of one client in any 60 seconds and in a UTC day. 0: unlimited.
struct Limits {
  std::uint32_t per_minute = 0;
  std::uint32_t per_day = 0;

  bool operator==(const Limits&) const = default;
};

struct Plan {
  std::string name;
  Limits limits;
  std::uint32_t llm_tokens_per_day = 0;  ///< prompt and completion tokens in a UTC day; 0: unlimited
};

inline constexpr std::string_view kPublicPlan = "public";
inline constexpr std::string_view kVisitorPlan = "visitor";  ///< of readers of the pages

/// The plan of requests that web pages of an origin send without a key.
struct OriginPlan {
  std::string origin;  ///< in the form that browsers send: "https://docs.example.org"
  std::string plan;
};

/// Rate-limit key of a client: the 128-bit hash of an API key's id or a client address. Rate limit stores see neither.
using ClientId = std::array<std::uint8_t, 16>;

/// State of one of a client's windows after acquire, for a charge or a peek.
struct WindowState {
  std::uint32_t remaining = 0;
  /// When the oldest counted request leaves the window. Without a counted request: one minute from now, or the next UTC
  /// midnight.
  Instant reset;
};

}  // namespace kbase::model
