// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace kbase::model {

/// A UTC calendar day.
using Day = std::chrono::sys_days;

/// A UTC instant, to the millisecond.
using Instant = std::chrono::sys_time<std::chrono::milliseconds>;

inline Day day_of(Instant instant) {
  return std::chrono::floor<std::chrono::days>(instant);
}

/// When the UTC day of the instant is over.
inline Instant next_midnight(Instant instant) {
  return day_of(instant) + std::chrono::days(1);
}

/// "YYYY-MM-DD" of a day that exists (years 0000 to 9999); nothing else is a day.
std::optional<Day> parse_day(std::string_view text);
std::string format_day(Day day);

/// "YYYY-MM-DDTHH:MM:SSZ", the fraction of the second cut off.
std::optional<Instant> parse_instant(std::string_view text);
std::string format_instant(Instant instant);

}  // namespace kbase::model
