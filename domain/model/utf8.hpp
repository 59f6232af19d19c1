// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

/// UTF-8 as RFC 3629 defines it: no overlong forms, no surrogates, nothing above U+10FFFF.
namespace kbase::model::utf8 {

/// The bytes of the valid sequence that `text` starts with, 1 to 4; 0 where it starts with none.
std::size_t sequence_length(std::string_view text) noexcept;

bool is_valid(std::string_view text) noexcept;

/// The bytes of the letters, digits and signs of ASCII that `text` starts with: no white space, no control character.
std::size_t graphic_ascii_length(std::string_view text) noexcept;

/// Code points of valid text; its continuation bytes are not counted.
std::size_t code_points(std::string_view text) noexcept;

/// The longest prefix of valid text that has at most `count` code points.
std::string_view prefix(std::string_view text, std::size_t count) noexcept;

/// The bytes of the white space (Unicode White_Space), or of the control character (C0, DEL, C1), that valid text
/// starts with; 0 where it starts with none.
std::size_t space_length(std::string_view text) noexcept;
std::size_t control_length(std::string_view text) noexcept;

/// Whether valid text has a control character.
bool has_control(std::string_view text) noexcept;

/// Valid text without the white space at its ends.
std::string_view trimmed(std::string_view text) noexcept;

}  // namespace kbase::model::utf8
