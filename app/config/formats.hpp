// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kbase::config {

/// What `text` should be to have the schema's `format`; empty: it is that, or the format is not one of ours.
std::string_view format_defect(std::string_view format, std::string_view text);

/// Of a text in the format "proxy-url" or "server-url", the part that is secret: user and password, without the @
/// behind them.
std::string_view user_of(std::string_view url);

/// A duration in milliseconds or a size in bytes, which the schema's `minimum` and `maximum` bound; nullopt: `format`
/// is neither, or `text` is none.
std::optional<std::uint64_t> quantity_of(std::string_view format, std::string_view text);

/// The 32 bytes of a SHA-256; nullopt: not 64 lower-case hexadecimal digits.
std::optional<std::array<std::uint8_t, 32>> parse_sha256(std::string_view text);

/// Of `known`, the word that `typed` was most probably meant to be; empty: none is near.
template <class Words>
std::string nearest(std::string_view typed, const Words& known);

/// Edits that make one word of the other: insertions, deletions, substitutions and swaps of neighbours (optimal string
/// alignment, Damerau 1964).
std::size_t edit_distance(std::string_view a, std::string_view b);

template <class Words>
std::string nearest(std::string_view typed, const Words& known) {
  std::size_t least = 1 + typed.size() / 4;  // more edits than that make another word
  std::string best;
  for (const auto& word : known) {
    const std::size_t distance = edit_distance(typed, word);
    if (distance > least || (distance == least && !best.empty())) continue;
    least = distance;
    best = word;
  }
  return best;
}

}  // namespace kbase::config
