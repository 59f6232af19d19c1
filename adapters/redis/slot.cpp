// SPDX-License-Identifier: Apache-2.0
#include "adapters/redis/slot.hpp"

namespace kbase::redis {
namespace {

constexpr std::uint16_t kPolynomial = 0x1021;

/// Returns the text between the first { and the next }; the whole key if there is none or it is empty.
std::string_view hashed_part(std::string_view key) {
  const std::size_t open = key.find('{');
  if (open == key.npos) return key;
  const std::size_t close = key.find('}', open);
  if (close == key.npos || close == open + 1) return key;
  return key.substr(open + 1, close - open - 1);
}

}  // namespace

std::uint16_t slot_of(std::string_view key) {
  unsigned crc = 0;
  for (const char byte : hashed_part(key)) {
    crc ^= static_cast<unsigned>(static_cast<unsigned char>(byte)) << 8U;
    for (int bit = 0; bit < 8; ++bit) crc = (crc << 1U) ^ ((crc & 0x8000U) != 0 ? kPolynomial : 0U);
    crc &= 0xFFFFU;
  }
  return static_cast<std::uint16_t>(crc % kSlots);
}

}  // namespace kbase::redis
