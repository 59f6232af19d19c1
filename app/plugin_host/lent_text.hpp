// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/base.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "domain/model/ids.hpp"
#include "domain/model/utf8.hpp"

/// Validation of text from plugins: both size and bytes may be wrong.
namespace kbase::plugin_host {

/// Size limit of a text; a larger one is invalid.
inline constexpr std::size_t kLentBytesEnd = std::size_t{1} << 30;

/// Returns true if each view can be a text. Almost free of branches, because a row has many views.
template <class... Views>
bool all_sound(Views... views) noexcept {
  const bool led = (((views.data != nullptr) | (views.size == 0)) & ...);
  return led && (views.size | ...) < kLentBytesEnd;  // kLentBytesEnd is a power of two
}

inline bool is_sound(kb_view view) noexcept {
  return all_sound(view);
}

/// Reads a word from `text` at `at`.
template <class Word>
Word word_at(std::string_view text, std::size_t at) noexcept {
  Word word;
  std::memcpy(&word, text.data() + at, sizeof word);
  return word;
}

/// Returns true if all bytes are ASCII, as in most ids. Reads a word at a time; the last word overlaps the one before.
inline bool is_ascii(std::string_view text) noexcept {
  const std::size_t size = text.size();
  std::uint64_t seen = 0;
  if (size >= 8) {
    for (std::size_t at = 0; at < size - 8; at += 8) seen |= word_at<std::uint64_t>(text, at);
    seen |= word_at<std::uint64_t>(text, size - 8);
  } else if (size >= 4) {
    seen = word_at<std::uint32_t>(text, 0) | word_at<std::uint32_t>(text, size - 4);
  } else {
    for (const char byte : text) seen |= static_cast<unsigned char>(byte);
  }
  return (seen & 0x8080808080808080) == 0;
}

/// Same result as model::utf8::is_valid, faster for ASCII.
inline bool is_utf8(std::string_view text) noexcept {
  return is_ascii(text) || model::utf8::is_valid(text);
}

/// Returns true if the view is safe as the id of an item or category: 1 to 256 bytes of UTF-8.
inline bool is_id(kb_view view) noexcept {
  return view.size >= 1 && view.size <= model::kMaxIdBytes && view.data != nullptr && is_utf8({view.data, view.size});
}

/// Copies at most `max_bytes` as valid UTF-8; invalid bytes become U+FFFD.
std::string legible(kb_view view, std::size_t max_bytes);

}  // namespace kbase::plugin_host
