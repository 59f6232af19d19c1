// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/native_index/files/bytes.hpp"

/// Bit-packed numbers of given widths, starting at the lowest bit of the first byte.
namespace kbase::native_index {

inline constexpr std::size_t kMaxBits = 56;

class BitWriter {
 public:
  explicit BitWriter(std::string& out) : out_(out) {}

  /// `number` must fit into `bits` bits, at most kMaxBits.
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
  std::size_t count_ = 0;  // number of bits in waiting_; below 8 between calls
};

/// Reads the number that begins at bit `at`. Returns nullopt if `bits` exceeds kMaxBits, or if fewer than 8 bytes
/// remain from the number's first byte.
inline std::optional<std::uint64_t> read_bits(std::string_view bytes, std::size_t at, std::size_t bits) {
  if (bits > kMaxBits || at / 8 + sizeof(std::uint64_t) > bytes.size()) return std::nullopt;
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  return load<std::uint64_t>(bytes.data() + at / 8) >> at % 8 & mask;
}

}  // namespace kbase::native_index
