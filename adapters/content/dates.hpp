// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "domain/model/day.hpp"

namespace kbase::content {

/// Parses a date in the forms that generators and authors write, with or without a time; the UTC day of the time
/// counts: "2024-02-29", "2024-02-29T23:30:00-05:00", "2024-02-29 10:00:00 +0100", "2024/2/29", "20240229",
/// "02/29/2024", "Feb 29, 2024", "29 February 2024", "Thu, 29 Feb 2024 10:00:00 GMT". nullopt: another form, or no
/// existing day.
std::optional<model::Day> parse_any_date(std::string_view text);

/// Returns the date at the start of a file name, "2024-02-29-title.md" or "2024_02_29.md"; nullopt: it has none.
std::optional<model::Day> date_in_name(std::string_view name);

}  // namespace kbase::content
