// SPDX-License-Identifier: Apache-2.0
#include "domain/model/day.hpp"

#include <charconv>

namespace kbase::model {
namespace {

/// Parses decimal digits. -1: `digits` contains another character.
int number(std::string_view digits) {
  int value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return -1;
    value = value * 10 + (c - '0');
  }
  return value;
}

/// Appends `value`, zero-padded to `width` digits. Avoids printf, which parses its format on every call: every response
/// contains dates.
void append_number(std::string& text, int value, int width) {
  char digits[16];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), value).ptr;
  for (auto size = end - digits; size < width; ++size) text += '0';
  text.append(digits, end);
}

}  // namespace

std::optional<Day> parse_day(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const int year = number(text.substr(0, 4));
  const int month = number(text.substr(5, 2));
  const int day = number(text.substr(8, 2));
  if (year < 0 || month < 0 || day < 0) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  return Day(date);
}

std::string format_day(Day day) {
  const std::chrono::year_month_day date(day);
  std::string text;
  append_number(text, static_cast<int>(date.year()), 4);
  append_number(text += '-', static_cast<int>(static_cast<unsigned>(date.month())), 2);
  append_number(text += '-', static_cast<int>(static_cast<unsigned>(date.day())), 2);
  return text;
}

std::optional<Instant> parse_instant(std::string_view text) {
  if (text.size() != 20 || text[10] != 'T' || text[13] != ':' || text[16] != ':' || text[19] != 'Z')
    return std::nullopt;
  const auto day = parse_day(text.substr(0, 10));
  const int hour = number(text.substr(11, 2));
  const int minute = number(text.substr(14, 2));
  const int second = number(text.substr(17, 2));
  if (!day || hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return std::nullopt;
  return Instant(*day) + std::chrono::hours(hour) + std::chrono::minutes(minute) + std::chrono::seconds(second);
}

std::string format_instant(Instant instant) {
  const Day day = day_of(instant);
  const std::chrono::hh_mm_ss time(std::chrono::floor<std::chrono::seconds>(instant - day));
  std::string text = format_day(day);
  append_number(text += 'T', static_cast<int>(time.hours().count()), 2);
  append_number(text += ':', static_cast<int>(time.minutes().count()), 2);
  append_number(text += ':', static_cast<int>(time.seconds().count()), 2);
  return text += 'Z';
}

}  // namespace kbase::model
