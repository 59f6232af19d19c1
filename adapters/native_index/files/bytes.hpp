// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

/// Encoding of numbers and texts in the index files: little-endian, fixed width or LEB128 (seven bits per byte, lowest
/// first, top bit set on all but the last byte; DWARF 5, section 7.6).
namespace kbase::native_index {

static_assert(std::endian::native == std::endian::little, "files are mapped, so their byte order is the machine's");

inline std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline std::span<const std::byte> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

/// Reads the number at `address`, which may be unaligned.
template <class Number>
requires std::is_arithmetic_v<Number> Number load(const void* address)
noexcept {
  Number number;
  std::memcpy(&number, address, sizeof(number));
  return number;
}

inline constexpr std::size_t kMaxVarintBytes = 10;

/// Appends to a string that the caller owns. The caller may read, move out or clear the string between calls.
class ByteWriter {
 public:
  explicit ByteWriter(std::string& bytes) : bytes_(bytes) {}

  std::size_t size() const noexcept { return bytes_.size(); }

  void u8(std::uint8_t number) { bytes_.push_back(static_cast<char>(number)); }
  void u16(std::uint16_t number) { fixed(number); }
  void u32(std::uint32_t number) { fixed(number); }
  void u64(std::uint64_t number) { fixed(number); }

  void varint(std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) u8(static_cast<std::uint8_t>(number | 0x80));
    u8(static_cast<std::uint8_t>(number));
  }

  void bytes(std::string_view text) { bytes_.append(text); }
  void bytes(std::span<const std::byte> span) { bytes_.append(as_text(span)); }

  /// Appends zeros up to the next multiple of `alignment`, a power of two, of the string's size.
  void align(std::size_t alignment) { bytes_.resize((bytes_.size() + alignment - 1) & ~(alignment - 1)); }

 private:
  template <class Number>
  void fixed(Number number) {
    char raw[sizeof(number)];
    std::memcpy(raw, &number, sizeof(number));
    bytes_.append(raw, sizeof(raw));
  }

  std::string& bytes_;
};

/// Bounds-checked reader of bytes that a ByteWriter wrote, or of any other bytes. If too few bytes are left, or a
/// varint exceeds 64 bits, it returns 0 or an empty view, and this and every later read fail; see failed(). Does not
/// own the bytes. Not thread-safe.
class ByteReader {
 public:
  ByteReader() = default;
  explicit ByteReader(std::span<const std::byte> bytes) : ByteReader(as_text(bytes)) {}
  explicit ByteReader(std::string_view bytes)
      : begin_(bytes.data()), next_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool failed() const noexcept { return failed_; }
  std::size_t position() const noexcept { return static_cast<std::size_t>(next_ - begin_); }
  std::size_t remaining() const noexcept { return static_cast<std::size_t>(end_ - next_); }
  bool at_end() const noexcept { return next_ == end_; }

  std::uint8_t u8() noexcept { return fixed<std::uint8_t>(); }
  std::uint16_t u16() noexcept { return fixed<std::uint16_t>(); }
  std::uint32_t u32() noexcept { return fixed<std::uint32_t>(); }
  std::uint64_t u64() noexcept { return fixed<std::uint64_t>(); }

  std::uint64_t varint() noexcept {
    if (next_ != end_ && static_cast<std::int8_t>(*next_) >= 0) return static_cast<std::uint8_t>(*next_++);
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 64 && next_ != end_; shift += 7) {
      const auto byte = static_cast<std::uint8_t>(*next_++);
      if (shift == 63 && byte > 1) break;
      number |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return number;
    }
    fail();
    return 0;
  }

  std::string_view bytes(std::uint64_t size) noexcept {
    if (size > remaining()) {
      fail();
      return {};
    }
    const std::string_view text(next_, static_cast<std::size_t>(size));
    next_ += size;
    return text;
  }

  void skip(std::uint64_t size) noexcept { (void)bytes(size); }

  /// Skips to the next multiple of `alignment`, a power of two, of the position.
  void align(std::size_t alignment) noexcept { skip((alignment - (position() & (alignment - 1))) & (alignment - 1)); }

  /// Makes all later reads fail. For callers that find the decoded values to be invalid.
  void fail() noexcept {
    failed_ = true;
    next_ = end_;
  }

 private:
  template <class Number>
  Number fixed() noexcept {
    const std::string_view raw = bytes(sizeof(Number));
    return raw.empty() ? Number{0} : load<Number>(raw.data());
  }

  const char* begin_ = nullptr;
  const char* next_ = nullptr;
  const char* end_ = nullptr;
  bool failed_ = false;
};

}  // namespace kbase::native_index
