// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/postings/window_cursor.hpp"

#include <algorithm>
#include <bit>

namespace kbase::native_index {

WindowCursor::WindowCursor(const Window& window) : window_(window), place_(window.array()) {
  document_ = window.count() == 0 ? kEnd : 0;
  next_at_or_after(0);
}

std::uint32_t WindowCursor::next_at_or_after(std::uint32_t document) {
  if (document_ == kEnd) return kEnd;
  if (window_.is_bitmap()) return document_ = next_in_bitmap(std::max(document, document_));
  place_.advance(document);
  return document_ = place_.at_end() ? kEnd : place_.document();
}

std::uint32_t WindowCursor::next_in_bitmap(std::uint32_t document) const {
  if (document >= kEnd) return kEnd;
  std::uint32_t word = document / 64;
  std::uint64_t bits = window_.words_[word] >> (document % 64) << (document % 64);
  while (bits == 0) {
    if (++word == kWindowWords) return kEnd;
    bits = window_.words_[word];
  }
  return word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
}

std::uint32_t WindowCursor::rank() const {
  if (!window_.is_bitmap()) return place_.rank();
  return std::min(window_.bitmap_rank(static_cast<std::uint16_t>(document_)), window_.count_ - 1);
}

}  // namespace kbase::native_index
