// SPDX-License-Identifier: Apache-2.0
#include "adapters/language_model/retry_after.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "adapters/http_fields/retry_after.hpp"

namespace kbase::language_model {
namespace {

using std::chrono::milliseconds;

std::string_view field(const ports::HttpHead& head, std::string_view name) {
  const auto found = std::find_if(head.fields.begin(), head.fields.end(),
                                  [&](const ports::HttpField& known) { return known.name == name; });
  return found == head.fields.end() ? std::string_view() : found->value;
}

/// Parses a number of units of `unit_ms` milliseconds, with nothing after it.
std::optional<milliseconds> number_of(std::string_view text, double unit_ms) {
  const auto number = http_fields::take_number(text);
  if (!number || !text.empty()) return std::nullopt;
  return http_fields::bounded_wait(*number * unit_ms);
}

/// Parses "1h2m3.5s" or "20ms". A number without unit is in seconds.
std::optional<milliseconds> span_of(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 4> kUnits = {
      {{"ms", 1.0}, {"s", 1000.0}, {"m", 60'000.0}, {"h", 3'600'000.0}}};
  if (const auto seconds = number_of(text, 1000)) return seconds;
  double ms = 0;
  while (!text.empty()) {
    const auto number = http_fields::take_number(text);
    const auto* const unit =
        std::find_if(kUnits.begin(), kUnits.end(), [&](const auto& known) { return text.starts_with(known.first); });
    if (!number || unit == kUnits.end()) return std::nullopt;
    ms += *number * unit->second;
    text.remove_prefix(unit->first.size());
  }
  return http_fields::bounded_wait(ms);
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
  if (const auto wait = http_fields::retry_after(field(head, "retry-after"), now)) return *wait;
  return longest_reset(head);
}

}  // namespace kbase::language_model
