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

/// Texts that a plugin lends: what it says of their size and bytes may be wrong.
namespace kbase::plugin_host {

/// No text of a port is as large; what claims to be is no text.
inline constexpr std::size_t kLentBytesEnd = std::size_t{1} << 30;

/// Whether each view can be one of a text at all. Almost without branches, because a row has many.
template <class... Views>
bool all_sound(Views... views) noexcept {
  const bool led = (((views.data != nullptr) | (views.size == 0)) & ...);
  return led && (views.size | ...) < kLentBytesEnd;  // a power of two
}

inline bool is_sound(kb_view view) noexcept {
  return all_sound(view);
}

/// The bytes of `text` from `at` on as a number.
template <class Word>
Word word_at(std::string_view text, std::size_t at) noexcept {
  Word word;
  std::memcpy(&word, text.data() + at, sizeof word);
  return word;
}

/// Whether all bytes are ASCII, as those of most ids are: looked at a word at a time, the last one overlapping.
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

/// model::utf8::is_valid, sooner for ASCII.
inline bool is_utf8(std::string_view text) noexcept {
  return is_ascii(text) || model::utf8::is_valid(text);
}

/// Whether this can be the id of an item or category, as far as the server's own safety goes: 1 to 256 bytes of UTF-8.
inline bool is_id(kb_view view) noexcept {
  return view.size >= 1 && view.size <= model::kMaxIdBytes && view.data != nullptr && is_utf8({view.data, view.size});
}

/// A copy of at most `max_bytes` that is valid UTF-8 whatever was lent: U+FFFD stands for what is none.
std::string legible(kb_view view, std::size_t max_bytes);

}  // namespace kbase::plugin_host
