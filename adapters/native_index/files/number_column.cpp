// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/files/number_column.hpp"

namespace kbase::native_index {

NumberColumn NumberColumn::with_width(std::string_view bytes) {
  const auto width = bytes.empty() ? std::size_t{0} : static_cast<unsigned char>(bytes.back());
  if (width == 0 || width > sizeof(std::uint64_t)) return {};
  bytes.remove_suffix(1);
  return {bytes, bytes.size() / width};
}

std::size_t NumberColumn::size() const noexcept {
  const bool is_valid = width_ >= 1 && width_ <= sizeof(std::uint64_t) && bytes_.size() % width_ == 0;
  return is_valid ? bytes_.size() / width_ : 0;
}

}  // namespace kbase::native_index
