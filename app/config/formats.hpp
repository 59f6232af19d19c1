// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "domain/base/result.hpp"

namespace kbase::config {

/// Describes what `text` must be for the schema's `format`. Empty: `text` is valid, or the format is unknown.
std::string_view format_defect(std::string_view format, std::string_view text);

/// Returns the secret part of a text in the format "proxy-url" or "server-url": user and password without the @ after
/// them.
std::string_view credentials_of(std::string_view url);

/// Parses a duration to milliseconds or a size to bytes, the units of the schema's `minimum` and `maximum`. nullopt:
/// `format` is neither, or `text` is invalid.
std::optional<std::uint64_t> quantity_of(std::string_view format, std::string_view text);

/// Parses a SHA-256. nullopt: not 64 lower-case hexadecimal digits.
std::optional<std::array<std::uint8_t, 32>> parse_sha256(std::string_view text);

/// Returns the word of `known` that was most probably meant by `typed`. Empty: none is similar.
template <class Words> std::string nearest(std::string_view typed, const Words& known);

/// Returns the number of insertions, deletions, substitutions and transpositions of adjacent characters that turn `a`
/// into `b` (optimal string alignment, Damerau 1964).
std::size_t edit_distance(std::string_view a, std::string_view b);

template <class Words> std::string nearest(std::string_view typed, const Words& known) {
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

using Environment = std::function<std::optional<std::string>(const std::string& name)>;

/// Replaces every ${NAME} and ${NAME:-default} by the variable's value (the default also replaces an empty value, as in
/// a shell), and every "$${" by "${". nullopt: `text` contains none of them. InvalidArgument, with only the reason as
/// message: a variable without a default is not set, a value is not valid UTF-8, a name is invalid, or a "${" is not
/// closed.
Result<std::optional<std::string>> expand(std::string_view text, const Environment& environment);

/// Returns the text that expand() turns into `text`.
std::string without_expansion(std::string_view text);

}  // namespace kbase::config
