// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kbase::native_index {

inline constexpr std::uint8_t kNumberEnd = 0x80;   ///< lowest last byte of a number
inline constexpr std::uint8_t kPostingEnd = 0xC0;  ///< lowest last byte of a posting

/// Encodes the ascending positions of a posting: the first position, then each distance from the previous position
/// minus 1. Each byte of a number holds 7 bits, lowest first; its last byte is >= 0x80 and holds 6 bits, and is >= 0xC0
/// if it also ends the posting. No lengths are stored; Kernels::skip_marks skips postings by counting end bytes. For
/// 250,000 mixed items the positions take 25 MB; LEB128 would take 23 MB, plus 10 MB for lengths.
void append_positions(std::span<const std::uint32_t> positions, std::vector<std::uint8_t>& bytes);

inline bool ends_posting(std::span<const std::uint8_t> encoded) {
  return !encoded.empty() && encoded.back() >= kPostingEnd;
}

/// Reads the positions of one posting. Damaged bytes end it early; reads never leave the given bytes.
class PositionReader {
 public:
  PositionReader() = default;
  explicit PositionReader(std::span<const std::uint8_t> bytes) : rest_(bytes) {}

  /// Returns false if there are no more positions.
  bool next(std::uint32_t& position) {
    if (rest_.empty() || rest_.front() < kNumberEnd) return next_long(position);
    const std::uint8_t byte = rest_.front();  // most numbers take one byte
    rest_ = byte < kPostingEnd ? rest_.subspan(1) : std::span<const std::uint8_t>();
    position = follower_ + (byte & kLastBits);
    follower_ = position + 1;
    return true;
  }

  /// Returns the encoded positions not read yet.
  std::span<const std::uint8_t> encoded() const;

  /// Returns encoded() and moves to the list's next posting. If the bytes do not end a posting, they are damaged.
  std::span<const std::uint8_t> take_encoded();

 private:
  static constexpr std::uint8_t kLastBits = 0x3F;

  bool next_long(std::uint32_t& position);

  std::span<const std::uint8_t> rest_;  ///< may extend past the posting
  std::uint32_t follower_ = 0;          ///< lowest possible next position
};

}  // namespace kbase::native_index
