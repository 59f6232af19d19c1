// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "domain/base/encoding.hpp"

/// Lexical rules of fields and lines (RFC 9110 section 5.6), and the parts of a request target (RFC 3986).
namespace kbase::http {

bool is_token(std::string_view text) noexcept;

/// Returns whether all bytes are allowed in a field value: HTAB, SP, visible ASCII and obs-text; no CR, NUL or other
/// controls.
bool is_field_text(std::string_view text) noexcept;

/// Returns `text` without spaces and tabs at its ends. The result is a view into `text` even if it is empty.
std::string_view trim(std::string_view text) noexcept;

/// Compares ASCII letters case-insensitively. `lower` must be in lower case.
bool equals_lower(std::string_view text, std::string_view lower) noexcept;

/// Removes the next element from a comma-separated list and returns it trimmed. Commas inside quoted strings do not
/// separate; a quote that is never closed is an ordinary character.
std::string_view next_element(std::string_view& list) noexcept;

/// Like next_element() for lists without quoted strings, such as tokens and addresses: every comma separates.
std::string_view next_token(std::string_view& list) noexcept;

/// Returns the value of decimal digits, saturating at the largest number; nullopt if `digits` is empty or has other
/// characters.
std::optional<std::uint64_t> parse_decimal(std::string_view digits) noexcept;

enum class Plus { Itself, Space };  ///< meaning of `+`: itself in a path, a space in a query

/// Percent-decodes `text`. Returns nullopt if a `%` is not followed by two hexadecimal digits.
std::optional<std::string> percent_decode(std::string_view text, Plus plus);

/// Returns whether `text` is a valid encoding of `plain`.
bool decodes_to(std::string_view text, std::string_view plain);

/// Returns whether `text` is a host with an optional port, as in Host and in targets: uri-host [ ":" port ] (RFC 9110
/// section 7.2, RFC 3986 section 3.2). An empty text is valid; user information is not (RFC 9110 section 4.2.4).
bool is_authority(std::string_view text);

struct Target {
  std::string_view path;
  std::string_view query;  ///< without the `?`
};
Target split_target(std::string_view target);

}  // namespace kbase::http
