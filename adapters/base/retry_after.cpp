// SPDX-License-Identifier: Apache-2.0
#include "adapters/base/retry_after.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

namespace kbase::http_fields {

std::optional<model::Instant> parse_http_date(std::string_view value) {
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  if (value.size() != 29 || !value.ends_with(" GMT")) return std::nullopt;
  const std::size_t month = kMonths.find(value.substr(8, 3));
  if (month == kMonths.npos || month % 3 != 0) return std::nullopt;
  const std::string number = std::to_string(month / 3 + 1);
  std::string instant(value.substr(12, 4));
  instant.append(number.size() == 1 ? "-0" : "-").append(number).append("-").append(value.substr(5, 2));
  return model::parse_instant(instant.append("T").append(value.substr(17, 8)).append("Z"));
}

std::optional<double> consume_number(std::string_view& text) {
  double number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc() || !std::isfinite(number)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  return number;
}

std::chrono::milliseconds clamp_wait(double milliseconds) {
  constexpr double kLongest = 24.0 * 3600 * 1000;
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(std::clamp(milliseconds, 0.0, kLongest))));
}

std::optional<std::chrono::milliseconds> parse_retry_after(std::string_view value, model::Instant now) {
  std::string_view rest = value;
  if (const auto seconds = consume_number(rest); seconds && rest.empty()) return clamp_wait(*seconds * 1000);
  const auto until = parse_http_date(value);
  if (!until) return std::nullopt;
  return clamp_wait(static_cast<double>((*until - now).count()));
}

}  // namespace kbase::http_fields
