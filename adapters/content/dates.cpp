// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/dates.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <vector>

#include "domain/base/text.hpp"

namespace kbase::content {
namespace {

constexpr std::array<std::string_view, 12> kMonths = {"jan", "feb", "mar", "apr", "may", "jun",
                                                      "jul", "aug", "sep", "oct", "nov", "dec"};

std::optional<model::Day> day_of(int year, unsigned month, unsigned day) {
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month), std::chrono::day(day)};
  if (!date.ok() || year < 0 || year > 9999) return std::nullopt;
  return model::Day(date);
}

/// A run of digits, or of letters, of a text.
struct Piece {
  std::string_view text;
  char before = ' ';  ///< character before it
  bool is_number = false;
  int number = 0;
};

/// A number of more than eight digits is the largest of eight: no date has one.
int number_of(std::string_view digits) {
  int number = 0;
  for (const char c : digits.substr(0, 8)) number = number * 10 + (c - '0');
  return digits.size() > 8 ? 99'999'999 : number;
}

std::vector<Piece> pieces_of(std::string_view text) {
  std::vector<Piece> pieces;
  for (std::size_t begin = 0; begin < text.size() && pieces.size() < 12;) {
    const bool is_number = ascii::is_digit(text[begin]);
    std::size_t end = begin;
    while (end < text.size() && (is_number ? ascii::is_digit(text[end]) : ascii::is_letter(text[end]))) ++end;
    if (end == begin) {
      ++begin;
      continue;
    }
    Piece piece{text.substr(begin, end - begin), begin == 0 ? ' ' : text[begin - 1], is_number, 0};
    if (is_number) piece.number = number_of(piece.text);
    pieces.push_back(piece);
    begin = end;
  }
  return pieces;
}

std::optional<unsigned> month_of(std::string_view name) {
  const std::string start = ascii::to_lower(name.substr(0, 3));
  const auto* const found = std::find(kMonths.begin(), kMonths.end(), start);
  if (name.size() < 3 || found == kMonths.end()) return std::nullopt;
  return static_cast<unsigned>(found - kMonths.begin()) + 1;
}

/// Returns the day with the time zone applied that follows the date in `rest`: "T23:30:00-05:00". nullopt: no clock
/// shows that time, or no zone has that offset.
std::optional<model::Day> utc_day(model::Day day, const std::vector<Piece>& rest) {
  if (rest.size() < 2 || !rest[0].is_number || !rest[1].is_number || rest[1].before != ':') return day;
  if (rest[0].number > 24 || rest[1].number > 59) return std::nullopt;
  int minutes = rest[0].number * 60 + rest[1].number;
  for (std::size_t i = 2; i < rest.size(); ++i) {
    if (!rest[i].is_number || (rest[i].before != '+' && rest[i].before != '-')) continue;
    const bool is_joined = rest[i].text.size() == 4;
    const int hours = is_joined ? rest[i].number / 100 : rest[i].number;
    const int further = is_joined ? rest[i].number % 100 : i + 1 < rest.size() ? rest[i + 1].number : 0;
    if (hours > 24 || further > 59) return std::nullopt;
    minutes -= (rest[i].before == '+' ? 1 : -1) * (hours * 60 + further);
    break;
  }
  return std::chrono::floor<std::chrono::days>(day + std::chrono::minutes(minutes));
}

}  // namespace

std::optional<model::Day> parse_any_date(std::string_view text) {
  std::vector<Piece> pieces = pieces_of(text);
  // The name of the day, and a letter that only separates date and time.
  std::erase_if(pieces, [](const Piece& piece) {
    return !piece.is_number && !month_of(piece.text) && piece.text != "Z" && piece.text != "UTC" && piece.text != "GMT";
  });
  if (pieces.empty() || (text.find_first_not_of(" \t") != 0 && !text.starts_with(' '))) return std::nullopt;
  std::optional<model::Day> day;
  std::size_t used = 3;
  if (pieces[0].is_number && pieces[0].text.size() == 8) {
    day = day_of(pieces[0].number / 10000, static_cast<unsigned>(pieces[0].number / 100 % 100),
                 static_cast<unsigned>(pieces[0].number % 100));
    used = 1;
  } else if (pieces.size() >= 3) {
    const Piece &a = pieces[0], &b = pieces[1], &c = pieces[2];
    const auto number = [](const Piece& piece) { return static_cast<unsigned>(piece.number); };
    if (a.is_number && b.is_number && c.is_number && a.text.size() == 4 && (b.before == '-' || b.before == '/'))
      day = day_of(a.number, number(b), number(c));
    else if (a.is_number && b.is_number && c.is_number && c.text.size() == 4 && b.before == '/')
      day = day_of(c.number, number(a), number(b));
    else if (const auto month = month_of(a.text); month && b.is_number && c.text.size() == 4)
      day = day_of(c.number, *month, number(b));
    else if (const auto second = month_of(b.text); second && a.is_number && c.text.size() == 4)
      day = day_of(c.number, *second, number(a));
  }
  if (!day) return std::nullopt;
  return utc_day(*day, {pieces.begin() + static_cast<std::ptrdiff_t>(used), pieces.end()});
}

std::optional<model::Day> date_in_name(std::string_view name) {
  if (name.size() < 11 || (name[10] != '-' && name[10] != '_' && name[10] != '.')) return std::nullopt;
  std::string date(name.substr(0, 10));
  std::replace(date.begin(), date.end(), '_', '-');
  return model::parse_day(date);
}

}  // namespace kbase::content
