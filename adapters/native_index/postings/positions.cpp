// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/postings/positions.hpp"

#include <cassert>

namespace kbase::native_index {
namespace {

constexpr std::uint32_t kMaxShift = 28;  ///< shift of a fifth byte

void append_number(std::uint32_t number, std::uint8_t last_byte, std::vector<std::uint8_t>& bytes) {
  for (; number >= 0x40; number >>= 7) bytes.push_back(static_cast<std::uint8_t>(number & 0x7F));
  bytes.push_back(static_cast<std::uint8_t>(number | last_byte));
}

}  // namespace

void append_positions(std::span<const std::uint32_t> positions, std::vector<std::uint8_t>& bytes) {
  std::uint32_t follower = 0;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    assert(positions[i] >= follower);
    append_number(positions[i] - follower, i + 1 == positions.size() ? kPostingEnd : kNumberEnd, bytes);
    follower = positions[i] + 1;
  }
}

bool PositionReader::next_long(std::uint32_t& position) {
  std::uint32_t number = 0;
  for (std::uint32_t shift = 0; !rest_.empty() && shift <= kMaxShift; shift += 7) {
    const std::uint8_t byte = rest_.front();
    rest_ = rest_.subspan(1);
    if (byte < kNumberEnd) {
      number |= std::uint32_t{byte} << shift;
      continue;
    }
    if (byte >= kPostingEnd) rest_ = {};
    position = follower_ + (number | static_cast<std::uint32_t>(byte & kLastBits) << shift);
    follower_ = position + 1;
    return true;
  }
  rest_ = {};
  return false;
}

std::span<const std::uint8_t> PositionReader::encoded() const {
  std::size_t size = 0;
  while (size < rest_.size() && rest_[size] < kPostingEnd) ++size;
  return rest_.first(size < rest_.size() ? size + 1 : size);
}

std::span<const std::uint8_t> PositionReader::take_encoded() {
  const std::span<const std::uint8_t> taken = encoded();
  rest_ = rest_.subspan(taken.size());
  follower_ = 0;
  return taken;
}

}  // namespace kbase::native_index
