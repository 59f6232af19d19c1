// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "domain/model/day.hpp"

/// Parsers for HTTP fields that every HTTP client in this codebase reads.
namespace kbase::http_fields {

/// Parses an IMF-fixdate, "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110, section 5.6.7). Returns nullopt for anything else,
/// including the obsolete formats.
std::optional<model::Instant> parse_http_date(std::string_view value);

/// Removes the number at the start of `text` (decimal digits, optional fraction, optional minus sign) and returns it.
/// Returns nullopt and leaves `text` unchanged if it does not start with a finite number.
std::optional<double> consume_number(std::string_view& text);

/// Rounds `milliseconds` up and clamps the result to 0 .. 24 h.
std::chrono::milliseconds clamp_wait(double milliseconds);

/// Returns the wait requested by a Retry-After field (RFC 9110, section 10.2.3): a number of seconds, where a fraction
/// is accepted because some services send one, or a date relative to `now`. Clamped as in clamp_wait(). Returns
/// nullopt if `value` is neither.
std::optional<std::chrono::milliseconds> parse_retry_after(std::string_view value, model::Instant now);

}  // namespace kbase::http_fields
