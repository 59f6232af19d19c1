// SPDX-License-Identifier: Apache-2.0
#include "adapters/base/date_field.hpp"

#include <array>
#include <chrono>
#include <cstddef>

namespace kbase {
namespace {

constexpr std::size_t kDateBytes = 31;  // with the longer zone

void append_two_digits(std::string& text, unsigned value) {
  text += static_cast<char>('0' + value / 10 % 10);
  text += static_cast<char>('0' + value % 10);
}

}  // namespace

std::string format_date(model::Instant instant, std::string_view zone) {
  constexpr std::array<std::string_view, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const model::Day day = model::day_of(instant);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(std::chrono::floor<std::chrono::seconds>(instant - day));
  const int year = static_cast<int>(date.year());
  std::string text;
  text.reserve(kDateBytes);
  text.append(kDays[std::chrono::weekday(day).c_encoding()]).append(", ");
  append_two_digits(text, static_cast<unsigned>(date.day()));
  text.append(" ").append(kMonths[static_cast<unsigned>(date.month()) - 1]).append(" ");
  append_two_digits(text, static_cast<unsigned>(year / 100));
  append_two_digits(text, static_cast<unsigned>(year % 100));
  append_two_digits(text += ' ', static_cast<unsigned>(time.hours().count()));
  append_two_digits(text += ':', static_cast<unsigned>(time.minutes().count()));
  append_two_digits(text += ':', static_cast<unsigned>(time.seconds().count()));
  return text.append(" ").append(zone);
}

}  // namespace kbase
