// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/native_index/files/bytes.hpp"

/// Numbers of so many bits each, one after the other from the lowest bit of the first byte.
namespace kbase::native_index {

inline constexpr std::size_t kMaxBits = 56;

class BitWriter {
 public:
  explicit BitWriter(std::string& out) : out_(out) {}

  /// `number` has no more than `bits` bits, these no more than kMaxBits.
  void append(std::uint64_t number, std::size_t bits) {
    waiting_ |= number << count_;
    for (count_ += bits; count_ >= 8; count_ -= 8, waiting_ >>= 8) out_ += static_cast<char>(waiting_);
  }

  void finish() {
    if (count_ > 0) out_ += static_cast<char>(waiting_);
  }

 private:
  std::string& out_;
  std::uint64_t waiting_ = 0;
  std::size_t count_ = 0;  // of bits waiting, below 8 between calls
};

/// The number whose bits begin at bit `at`. None: more than kMaxBits, or fewer than 8 bytes from its first one on.
inline std::optional<std::uint64_t> read_bits(std::string_view bytes, std::size_t at, std::size_t bits) {
  if (bits > kMaxBits || at / 8 + sizeof(std::uint64_t) > bytes.size()) return std::nullopt;
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  return load<std::uint64_t>(bytes.data() + at / 8) >> at % 8 & mask;
}

}  // namespace kbase::native_index
