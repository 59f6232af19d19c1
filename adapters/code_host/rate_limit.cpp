// SPDX-License-Identifier: Apache-2.0
#include "adapters/code_host/rate_limit.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>

#include "adapters/http_fields/retry_after.hpp"

namespace kbase::code_host {
namespace {

using std::chrono::seconds;

constexpr std::uint32_t kTooManyRequests = 429;
constexpr seconds kUnsaid{60};
constexpr seconds kLongest{24 * 3600};
/// Clamp for seconds since 1970, so that calculations do not overflow. Later times count as never.
constexpr std::int64_t kFarAway = std::int64_t{1} << 40;

std::optional<std::int64_t> number_of(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return std::clamp(number, -kFarAway, kFarAway);
}

/// Returns the service's clock from the Date of the response, else `now`.
model::Instant now_of(const Answer& answer, model::Instant now) {
  return http_fields::date(answer.field("date")).value_or(now);
}

seconds bounded(seconds wait) {
  return std::clamp(wait, seconds(1), kLongest);
}

bool speaks_of_a_limit(const Answer& answer) {
  if (answer.status == kTooManyRequests) return true;
  if (answer.status != kForbidden) return false;
  return !answer.field("retry-after").empty() || answer.field("x-ratelimit-remaining") == "0" ||
         answer.body.find("secondary rate limit") != std::string::npos ||
         answer.body.find("abuse detection") != std::string::npos;
}

}  // namespace

std::optional<seconds> retry_after(const Answer& answer, model::Instant now) {
  const auto wait = http_fields::retry_after(answer.field("retry-after"), now_of(answer, now));
  if (!wait) return std::nullopt;
  return bounded(std::chrono::ceil<seconds>(*wait));
}

seconds until_reset(const Answer& answer, model::Instant now) {
  // GitHub names the fields x-ratelimit-*, GitLab ratelimit-*. Both give seconds since 1970.
  for (const std::string prefix : {"x-ratelimit-", "ratelimit-"}) {
    const auto reset = number_of(answer.field(prefix + "reset"));
    if (reset && answer.field(prefix + "remaining") == "0")
      return bounded(seconds(*reset) - std::chrono::floor<seconds>(now_of(answer, now).time_since_epoch()));
  }
  return kUnsaid;
}

std::optional<seconds> asked_to_wait(const Answer& answer, model::Instant now) {
  if (!speaks_of_a_limit(answer)) return std::nullopt;
  if (const auto said = retry_after(answer, now)) return said;
  return until_reset(answer, now);
}

}  // namespace kbase::code_host
