// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace kbase::model {

/// A UTC calendar day.
using Day = std::chrono::sys_days;

/// A UTC instant with millisecond precision.
using Instant = std::chrono::sys_time<std::chrono::milliseconds>;

inline Day day_of(Instant instant) { return std::chrono::floor<std::chrono::days>(instant); }

/// The end of the instant's UTC day.
inline Instant next_midnight(Instant instant) { return day_of(instant) + std::chrono::days(1); }

/// Parses "YYYY-MM-DD". nullopt: another format, or not an existing day of the years 0000 to 9999.
std::optional<Day> parse_day(std::string_view text);
std::string format_day(Day day);

/// The format is "YYYY-MM-DDTHH:MM:SSZ". Formatting truncates to the second.
std::optional<Instant> parse_instant(std::string_view text);
std::string format_instant(Instant instant);

}  // namespace kbase::model
