// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

  /// Reads the form of encode_with_width(). Empty if that has no valid width.
  static NumberColumn with_width(std::string_view bytes);

  template <class Number> static std::string encode(std::span<const Number> numbers) {
    std::uint64_t bits = 1;
    for (const Number number : numbers) bits |= number;
    const std::size_t width = (static_cast<std::size_t>(std::bit_width(bits)) + 7) / 8;
    std::string bytes(numbers.size() * width, '\0');
    for (std::size_t i = 0; i < numbers.size(); ++i) std::memcpy(bytes.data() + i * width, &numbers[i], width);
    return bytes;
  }
  template <class Number> static std::string encode(const std::vector<Number>& numbers) {
    return encode(std::span<const Number>(numbers));
  }

  /// Returns the bytes of each number that encode() returned.
  static std::uint8_t width_of(std::string_view encoded, std::size_t numbers) {
    return static_cast<std::uint8_t>(numbers == 0 ? 1 : encoded.size() / numbers);
  }

  /// Returns the numbers and, in a last byte, the bytes of each, so that they need no count.
  template <class Number> static std::string encode_with_width(std::span<const Number> numbers) {
    std::string bytes = encode(numbers);
    return bytes += static_cast<char>(width_of(bytes, numbers.size()));
  }
  template <class Number> static std::string encode_with_width(const std::vector<Number>& numbers) {
    return encode_with_width(std::span<const Number>(numbers));
  }

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
