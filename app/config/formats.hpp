// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kbase::config {

/// Describes what `text` must be for the schema's `format`. Empty: `text` is valid, or the format is unknown.
std::string_view format_defect(std::string_view format, std::string_view text);

/// Returns the secret part of a text in the format "proxy-url" or "server-url": user and password without the @ after
/// them.
std::string_view user_of(std::string_view url);

/// Parses a duration to milliseconds or a size to bytes, the units of the schema's `minimum` and `maximum`. nullopt:
/// `format` is neither, or `text` is invalid.
std::optional<std::uint64_t> quantity_of(std::string_view format, std::string_view text);

/// Parses a SHA-256. nullopt: not 64 lower-case hexadecimal digits.
std::optional<std::array<std::uint8_t, 32>> parse_sha256(std::string_view text);

/// Returns the word of `known` that was most probably meant by `typed`. Empty: none is similar.
template <class Words>
std::string nearest(std::string_view typed, const Words& known);

/// Returns the number of insertions, deletions, substitutions and transpositions of adjacent characters that turn `a`
/// into `b` (optimal string alignment, Damerau 1964).
std::size_t edit_distance(std::string_view a, std::string_view b);

template <class Words>
std::string nearest(std::string_view typed, const Words& known) {
  std::size_t least = 1 + typed.size() / 4;  // maximum number of edits
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
