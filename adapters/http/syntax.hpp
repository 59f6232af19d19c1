// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// The small rules of RFC 9110 section 5.6 that fields and lines are made of.
namespace kbase::http {

bool is_token(std::string_view text) noexcept;

/// Whether every byte may stand in a field's value: HTAB, SP, visible ASCII and obs-text; no CR, NUL or other control.
bool is_field_text(std::string_view text) noexcept;

/// The part of `text` without the spaces and tabs at its ends; inside it also where it is empty.
std::string_view trimmed(std::string_view text) noexcept;

/// Letters of ASCII without regard to case; `lower` is in lower case already.
bool equals_lower(std::string_view text, std::string_view lower) noexcept;

std::string lower_case(std::string_view text);

/// Cuts the next element, trimmed, off a comma-separated list; commas inside quoted strings do not count. A quote that
/// nothing closes is an ordinary character, so it hides nothing.
std::string_view next_element(std::string_view& list) noexcept;

/// The same for lists whose elements have no quoted strings, as tokens and addresses: every comma counts.
std::string_view next_token(std::string_view& list) noexcept;

/// The value of a hexadecimal digit, or -1.
int hex_value(char c) noexcept;

/// The number that decimal digits spell, saturating at the largest; nullopt where there is anything else, or nothing.
std::optional<std::uint64_t> decimal(std::string_view digits) noexcept;

}  // namespace kbase::http
