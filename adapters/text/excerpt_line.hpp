// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kbase::text {

/// White space by the definition of model::excerpt_of.
constexpr bool is_blank(char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7F; }

constexpr bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u; }

/// Moves back from `from` by at most `count` code points to the earliest start of a word. Returns the position `count`
/// code points back if there is no start of a word.
std::size_t word_start_before(std::string_view text, std::size_t from, std::size_t count);

/// Appends `text` as one line of at most `max_code_points` code points, cut at a word boundary that is not before the
/// byte `min_end`. Returns whether the text was cut.
bool append_line(std::string& line, std::string_view text, std::size_t max_code_points, std::size_t min_end);

/// Removes invalid UTF-8. Stored text may be damaged, but the result must be valid.
std::string remove_invalid_utf8(std::string line);

}  // namespace kbase::text
