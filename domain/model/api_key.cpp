// SPDX-License-Identifier: Apache-2.0
#include "domain/model/api_key.hpp"

#include <algorithm>

namespace kbase::model {
namespace {

constexpr std::string_view kBase62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr std::string_view kPrefix = "kb_";
constexpr std::size_t kRandomDigits = 32;
constexpr std::size_t kChecksumDigits = 6;

struct ScopeName {
  Scope scope;
  std::string_view name;
};
constexpr std::array<ScopeName, 4> kScopeNames = {
    {{Scope::Read, "read"}, {Scope::Llm, "llm"}, {Scope::Codehost, "codehost"}, {Scope::Write, "write"}}};

/// CRC-32 of IEEE 802.3 (reflected polynomial 0xEDB88320). Bitwise, without a table: keys are short.
std::uint32_t crc32(std::string_view bytes) {
  std::uint32_t crc = 0xFFFFFFFFu;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1u) != 0 ? 0xEDB88320u : 0u);
  }
  return ~crc;
}

std::string checksum_of(std::string_view bytes) {
  std::string digits(kChecksumDigits, '0');
  std::uint32_t crc = crc32(bytes);
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, crc /= 62) *digit = kBase62[crc % 62];
  return digits;
}

}  // namespace

std::optional<Scope> scope_named(std::string_view name) {
  for (const ScopeName& known : kScopeNames)
    if (known.name == name) return known.scope;
  return std::nullopt;
}

std::string names_of(Scopes scopes) {
  std::string names;
  for (const ScopeName& known : kScopeNames) {
    if (!has_scope(scopes, known.scope)) continue;
    if (!names.empty()) names += ',';
    names += known.name;
  }
  return names;
}

bool is_alive(const ApiKey& key, Instant now) {
  return !key.revoked && !key.suspended && !(key.expires && now >= *key.expires);
}

bool authenticates(const ApiKey& key, const KeyDigest& digest, Instant now) {
  if (!is_alive(key, now)) return false;
  if (digest == key.digest) return true;
  return key.previous_digest == digest && now < key.previous_expires;
}

std::string key_text(const std::array<std::uint8_t, 32>& digits) {
  std::string random;
  for (const std::uint8_t digit : digits) random += kBase62[digit % 62];
  return std::string(kPrefix) + random + checksum_of(random);
}

bool is_key_text(std::string_view text) {
  if (text.size() != kKeyTextLength || !text.starts_with(kPrefix)) return false;
  const std::string_view random = text.substr(kPrefix.size(), kRandomDigits);
  if (random.find_first_not_of(kBase62) != std::string_view::npos) return false;
  return text.substr(kPrefix.size() + kRandomDigits) == checksum_of(random);
}

}  // namespace kbase::model
