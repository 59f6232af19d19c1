// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace kbase::native_index {

/// Numbers of as many bytes each as the largest needs, lowest byte first, at least 1. A view into a file, which must
/// outlive it. Thread-safe.
class NumberColumn {
 public:
  NumberColumn() = default;
  NumberColumn(std::string_view bytes, std::size_t numbers)
      : bytes_(bytes), width_(numbers == 0 ? 1 : bytes.size() / numbers) {
    if (width_ > 0 && width_ < sizeof(std::uint64_t)) mask_ = (std::uint64_t{1} << (8 * width_)) - 1;
  }

  static std::string encode(std::span<const std::uint64_t> numbers);

  /// Returns 0 if the width is not 1 to 8 bytes, or does not divide the bytes.
  std::size_t size() const noexcept;
  std::uint64_t operator[](std::size_t number) const noexcept {
    const std::size_t begin = number * width_;
    std::uint64_t value = 0;
    if (begin + sizeof(value) > bytes_.size()) {
      std::memcpy(&value, bytes_.data() + begin, width_);
      return value;
    }
    std::memcpy(&value, bytes_.data() + begin, sizeof(value));  // one load, while a copy of width_ bytes is a call
    return value & mask_;
  }

 private:
  std::string_view bytes_;
  std::size_t width_ = 1;
  std::uint64_t mask_ = ~std::uint64_t{0};  // of width_ bytes
};

}  // namespace kbase::native_index
