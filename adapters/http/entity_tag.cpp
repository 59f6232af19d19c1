// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/entity_tag.hpp"

#include <xxhash.h>

namespace kbase::http {
namespace {

constexpr std::size_t kNumbersBytes = 3 * sizeof(std::uint64_t);
constexpr std::size_t kTagBytes = 4 + 2 * sizeof(XXH128_canonical_t);

void append_number(std::string& text, std::uint64_t number) {
  for (int shift = 0; shift < 64; shift += 8) text += static_cast<char>((number >> shift) & 0xFF);
}

}  // namespace

std::string entity_tag(std::string_view edition, const ports::Validator& validator,
                       std::string_view canonical_request) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string state;
  state.reserve(2 * validator.store_id.size() + kNumbersBytes + edition.size() + canonical_request.size());
  state.append(validator.store_id.begin(), validator.store_id.end());
  state.append(validator.index_store_id.begin(), validator.index_store_id.end());
  append_number(state, validator.revision);
  append_number(state, validator.views_revision);
  append_number(state, edition.size());
  state.append(edition).append(canonical_request);

  XXH128_canonical_t hash;
  XXH128_canonicalFromHash(&hash, XXH3_128bits(state.data(), state.size()));
  std::string tag;
  tag.reserve(kTagBytes);
  tag += "W/\"";
  for (const unsigned char byte : hash.digest) (tag += kDigits[byte >> 4]) += kDigits[byte & 15];
  return tag += '"';
}

}  // namespace kbase::http
