// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "domain/model/day.hpp"
#include "plugins/sdk/translation.hpp"

/// Validation of days and instants from plugins: the server prints, adds and compares only those of the years 0 to
/// 9999.
namespace kbase::plugin_host {

inline constexpr model::Day kFirstDay{std::chrono::year(0) / 1 / 1};
inline constexpr model::Day kLastDay{std::chrono::year(9999) / 12 / 31};

inline bool is_calendar_day(std::int32_t number) noexcept {
  return number >= kFirstDay.time_since_epoch().count() && number <= kLastDay.time_since_epoch().count();
}

inline bool is_calendar_instant(std::int64_t milliseconds) noexcept {
  constexpr std::int64_t kDayMs = 86'400'000;
  return milliseconds >= kFirstDay.time_since_epoch().count() * kDayMs &&
         milliseconds < (kLastDay.time_since_epoch().count() + 1) * kDayMs;
}

}  // namespace kbase::plugin_host
