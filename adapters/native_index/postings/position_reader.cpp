// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/postings/posting_list.hpp"

namespace kbase::native_index {
namespace {

constexpr std::uint32_t kMaxShift = 28;  // of a fifth byte

}  // namespace

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
    position = next_min_ + (number | static_cast<std::uint32_t>(byte & kLastBits) << shift);
    next_min_ = position + 1;
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

std::span<const std::uint8_t> PositionReader::read_encoded() {
  const std::span<const std::uint8_t> bytes = encoded();
  rest_ = rest_.subspan(bytes.size());
  next_min_ = 0;
  return bytes;
}

}  // namespace kbase::native_index
