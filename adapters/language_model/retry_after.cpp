// SPDX-License-Identifier: Apache-2.0
#include "adapters/language_model/retry_after.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ctime>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace kbase::language_model {
namespace {

using std::chrono::milliseconds;

/// Longer is as good as for ever.
constexpr double kLongestMs = 24.0 * 3600 * 1000;

milliseconds bounded(double ms) {
  return milliseconds(static_cast<std::int64_t>(std::ceil(std::clamp(ms, 0.0, kLongestMs))));
}

std::string_view field(const ports::HttpHead& head, std::string_view name) {
  const auto found = std::find_if(head.fields.begin(), head.fields.end(),
                                  [&](const ports::HttpField& known) { return known.name == name; });
  return found == head.fields.end() ? std::string_view() : found->value;
}

/// Takes the number that `text` starts with; nullopt: it starts with none.
std::optional<double> take_number(std::string_view& text) {
  double number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc() || !std::isfinite(number)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  return number;
}

/// A number of `unit_ms`, and nothing else.
std::optional<milliseconds> number_of(std::string_view text, double unit_ms) {
  const auto number = take_number(text);
  if (!number || !text.empty()) return std::nullopt;
  return bounded(*number * unit_ms);
}

std::optional<milliseconds> until_date(std::string_view text, model::Instant now) {
  std::tm date{};
  const std::string copy(text);
  const char* const end = ::strptime(copy.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &date);
  if (end == nullptr || *end != '\0') return std::nullopt;
  const double ms = 1000.0 * static_cast<double>(::timegm(&date));
  return bounded(ms - static_cast<double>(now.time_since_epoch().count()));
}

/// "1h2m3.5s", "20ms"; a number alone is of seconds.
std::optional<milliseconds> span_of(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 4> kUnits = {
      {{"ms", 1.0}, {"s", 1000.0}, {"m", 60'000.0}, {"h", 3'600'000.0}}};
  if (const auto seconds = number_of(text, 1000)) return seconds;
  double ms = 0;
  while (!text.empty()) {
    const auto number = take_number(text);
    const auto* const unit =
        std::find_if(kUnits.begin(), kUnits.end(), [&](const auto& known) { return text.starts_with(known.first); });
    if (!number || unit == kUnits.end()) return std::nullopt;
    ms += *number * unit->second;
    text.remove_prefix(unit->first.size());
  }
  return bounded(ms);
}

milliseconds longest_reset(const ports::HttpHead& head) {
  milliseconds longest{0};
  for (const std::string kind : {"requests", "tokens"}) {
    const std::string_view remaining = field(head, "x-ratelimit-remaining-" + kind);
    const auto span = span_of(field(head, "x-ratelimit-reset-" + kind));
    if (span && (remaining.empty() || remaining == "0")) longest = std::max(longest, *span);
  }
  return longest;
}

}  // namespace

milliseconds retry_after(const ports::HttpHead& head, model::Instant now) {
  if (const auto exact = number_of(field(head, "retry-after-ms"), 1)) return *exact;
  const std::string_view told = field(head, "retry-after");
  if (const auto seconds = number_of(told, 1000)) return *seconds;
  if (const auto span = until_date(told, now)) return *span;
  return longest_reset(head);
}

}  // namespace kbase::language_model
