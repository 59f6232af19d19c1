// SPDX-License-Identifier: Apache-2.0
#include "adapters/text/wanted_pieces.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "domain/base/text.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace kbase::text {
namespace {

constexpr std::size_t kBlock = 16;  // bytes that are classified together

/// Kinds of the bytes of a block, one bit each, the first byte in the lowest.
struct Kinds {
  std::uint32_t letters, capitals, digits;
  std::uint32_t marks;   // dots and minuses
  std::uint32_t beyond;  // first bytes of characters beyond ASCII
};

#ifdef __SSE2__
/// Returns a bit for each byte in [first, last]. Bytes are compared as signed numbers, so that those beyond ASCII are
/// in no range.
std::uint32_t bytes_between(__m128i bytes, char first, char last) {
  const __m128i is_in = _mm_and_si128(_mm_cmpgt_epi8(bytes, _mm_set1_epi8(static_cast<char>(first - 1))),
                                      _mm_cmplt_epi8(bytes, _mm_set1_epi8(static_cast<char>(last + 1))));
  return static_cast<std::uint32_t>(_mm_movemask_epi8(is_in));
}

Kinds classify(const char* block) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block));
  Kinds kinds{};
  kinds.capitals = bytes_between(bytes, 'A', 'Z');
  kinds.letters = kinds.capitals | bytes_between(bytes, 'a', 'z');
  kinds.digits = bytes_between(bytes, '0', '9');
  kinds.marks = bytes_between(bytes, '-', '.');
  // A signed byte of -64 or more begins a character, one below that continues it.
  kinds.beyond = static_cast<std::uint32_t>(_mm_movemask_epi8(bytes)) &
                 static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpgt_epi8(bytes, _mm_set1_epi8(-65))));
  return kinds;
}
#else
Kinds classify(const char* block) {
  Kinds kinds{};
  for (std::size_t i = 0; i < kBlock; ++i) {
    const std::uint32_t bit = std::uint32_t{1} << i;
    const char c = block[i];
    if (ascii::is_upper(c)) kinds.capitals |= bit;
    if (ascii::is_upper(c) || ascii::is_lower(c)) kinds.letters |= bit;
    if (ascii::is_digit(c)) kinds.digits |= bit;
    if (c == '-' || c == '.') kinds.marks |= bit;
    if (static_cast<unsigned char>(c) >= 0xC0) kinds.beyond |= bit;
  }
  return kinds;
}
#endif

bool is_blank(char c) { return static_cast<unsigned char>(c) <= ' '; }

}  // namespace

bool WantedPieces::next() {
  std::size_t at = end_;
  if (!find_start(at)) return false;
  begin_ = at;
  while (begin_ > end_ && !is_blank(text_[begin_ - 1])) --begin_;
  end_ = at + 1;
  while (end_ < text_.size() && !is_blank(text_[end_])) ++end_;
  return true;
}

/// Sets `at` to the first byte from there on that may start a wanted word. Returns false if the text has no such byte.
bool WantedPieces::find_start(std::size_t& at) const {
  std::uint32_t letters_before = 0, digits_before = 0;  // whether the byte before the block is one
  for (std::size_t first = at; first < text_.size(); first += kBlock) {
    std::array<char, kBlock> tail{};
    const char* block = text_.data() + first;
    if (text_.size() - first < kBlock) {
      std::memcpy(tail.data(), block, text_.size() - first);
      block = tail.data();
    }
    const Kinds kinds = classify(block);
    const std::uint32_t after_letter = kinds.letters << 1 | letters_before;
    const std::uint32_t after_digit = kinds.digits << 1 | digits_before;
    std::uint32_t starts =
        (kinds.letters & ~after_letter) | (kinds.digits & ~after_digit) | kinds.capitals | kinds.marks | kinds.beyond;
    for (; starts != 0; starts &= starts - 1) {
      at = first + static_cast<std::size_t>(std::countr_zero(starts));
      if (may_start_wanted(at)) return true;
    }
    letters_before = kinds.letters >> (kBlock - 1) & 1;
    digits_before = kinds.digits >> (kBlock - 1) & 1;
  }
  return false;
}

bool WantedPieces::may_start_wanted(std::size_t at) const {
  const char c = text_[at];
  const char next = at + 1 < text_.size() ? text_[at + 1] : '\0';
  if (static_cast<signed char>(c) < 0) {
    // Characters beyond ASCII may be folded to any, but U+2000 to U+206F are spaces, dashes and quotation marks.
    const auto third = at + 2 < text_.size() ? static_cast<unsigned char>(text_[at + 2]) : 0;
    const bool is_punctuation = c == '\xE2' && (next == '\x80' || (next == '\x81' && third < 0xB0));
    return !is_punctuation;
  }
  if (ascii::is_alphanumeric(next)) return wanted_.has(ascii::to_lower(c), ascii::to_lower(next));
  return ascii::is_alphanumeric(c) && wanted_.has_first(ascii::to_lower(c));
}

}  // namespace kbase::text
