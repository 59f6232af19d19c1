// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kbase::native_index {

inline constexpr std::uint8_t kNumberEnd = 0x80;   ///< from here on, a byte ends a number
inline constexpr std::uint8_t kPostingEnd = 0xC0;  ///< and from here on a posting

/// The positions of a posting, ascending: the first, then each one's distance from the one before, less 1. A number's
/// bytes carry 7 bits, lowest first; its last byte is >= 0x80 and carries 6, and is >= 0xC0 where it ends the posting.
/// So no length of a posting's positions is stored, and postings are skipped by counting bytes (kernels.hpp,
/// skip_marks): on 250,000 mixed items 25 MB of positions with all marks, where LEB128 takes 23 and lengths 10.
void append_positions(std::span<const std::uint32_t> positions, std::vector<std::uint8_t>& bytes);

inline bool ends_posting(std::span<const std::uint8_t> encoded) {
  return !encoded.empty() && encoded.back() >= kPostingEnd;
}

/// Reads the positions of one posting. Bytes that are damaged end it early; never leaves them.
class PositionReader {
 public:
  PositionReader() = default;
  explicit PositionReader(std::span<const std::uint8_t> bytes) : rest_(bytes) {}

  /// False: there are no more.
  bool next(std::uint32_t& position) {
    if (rest_.empty() || rest_.front() < kNumberEnd) return next_long(position);
    const std::uint8_t byte = rest_.front();  // most numbers are a single one
    rest_ = byte < kPostingEnd ? rest_.subspan(1) : std::span<const std::uint8_t>();
    position = follower_ + (byte & kLastBits);
    follower_ = position + 1;
    return true;
  }

  /// As append_positions() wrote what has not been read yet.
  std::span<const std::uint8_t> encoded() const;

  /// The same, and moves on to those of the list's next posting. What does not end a posting is damaged.
  std::span<const std::uint8_t> take_encoded();

 private:
  static constexpr std::uint8_t kLastBits = 0x3F;

  bool next_long(std::uint32_t& position);

  std::span<const std::uint8_t> rest_;  ///< may be longer than the posting
  std::uint32_t follower_ = 0;          ///< the least that the next position can be
};

}  // namespace kbase::native_index
