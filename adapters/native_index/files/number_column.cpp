// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/files/number_column.hpp"

#include <bit>

namespace kbase::native_index {

std::string NumberColumn::encode(std::span<const std::uint64_t> numbers) {
  std::uint64_t bits = 1;
  for (const std::uint64_t number : numbers) bits |= number;
  const std::size_t width = (static_cast<std::size_t>(std::bit_width(bits)) + 7) / 8;
  std::string bytes(numbers.size() * width, '\0');
  for (std::size_t i = 0; i < numbers.size(); ++i) std::memcpy(bytes.data() + i * width, &numbers[i], width);
  return bytes;
}

std::size_t NumberColumn::size() const noexcept {
  const bool is_valid = width_ >= 1 && width_ <= sizeof(std::uint64_t) && bytes_.size() % width_ == 0;
  return is_valid ? bytes_.size() / width_ : 0;
}

}  // namespace kbase::native_index
