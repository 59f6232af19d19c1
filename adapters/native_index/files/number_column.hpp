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
      : bytes_(bytes), width_(numbers == 0 ? 1 : bytes.size() / numbers) {}

  static std::string encode(std::span<const std::uint64_t> numbers);

  /// Returns 0 if the width is not 1 to 8 bytes, or does not divide the bytes.
  std::size_t size() const noexcept;
  std::uint64_t operator[](std::size_t number) const noexcept {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes_.data() + number * width_, width_);
    return value;
  }

 private:
  std::string_view bytes_;
  std::size_t width_ = 1;
};

}  // namespace kbase::native_index
