// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Lexical rules of RFC 9110 section 5.6 for fields and lines.
namespace kbase::http {

bool is_token(std::string_view text) noexcept;

/// Returns whether all bytes are allowed in a field value: HTAB, SP, visible ASCII and obs-text; no CR, NUL or other
/// controls.
bool is_field_text(std::string_view text) noexcept;

/// Returns `text` without spaces and tabs at its ends. The result is a view into `text` even if it is empty.
std::string_view trimmed(std::string_view text) noexcept;

/// Compares ASCII letters case-insensitively. `lower` must be in lower case.
bool equals_lower(std::string_view text, std::string_view lower) noexcept;

std::string lower_case(std::string_view text);

/// Removes the next element from a comma-separated list and returns it trimmed. Commas inside quoted strings do not
/// separate; a quote that is never closed is an ordinary character.
std::string_view next_element(std::string_view& list) noexcept;

/// Like next_element() for lists without quoted strings, such as tokens and addresses: every comma separates.
std::string_view next_token(std::string_view& list) noexcept;

/// Returns the value of a hexadecimal digit, or -1.
int hex_value(char c) noexcept;

/// Returns the value of decimal digits, saturating at the largest number; nullopt if `digits` is empty or has other
/// characters.
std::optional<std::uint64_t> decimal(std::string_view digits) noexcept;

}  // namespace kbase::http
