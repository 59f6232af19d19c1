// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "domain/model/day.hpp"

/// Fields of HTTP that every client of a service reads.
namespace kbase::http_fields {

/// "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110, section 5.6.7); its older forms are not sent any more.
std::optional<model::Instant> date(std::string_view value);

/// The number that `text` begins with, which is taken off it: digits, with a fraction or without, of any sign.
std::optional<double> take_number(std::string_view& text);

/// A wait of so many milliseconds: none below 0, and a day at most, which is as good as for ever.
std::chrono::milliseconds bounded_wait(double milliseconds);

/// What a Retry-After field asks for (RFC 9110, section 10.2.3): seconds, of which some services send a fraction, or a
/// date, taken against `now`. nullopt: neither.
std::optional<std::chrono::milliseconds> retry_after(std::string_view value, model::Instant now);

}  // namespace kbase::http_fields
