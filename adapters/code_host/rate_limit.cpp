// SPDX-License-Identifier: Apache-2.0
#include "adapters/code_host/rate_limit.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>

namespace kbase::code_host {
namespace {

using std::chrono::seconds;

constexpr std::uint32_t kTooManyRequests = 429;
constexpr seconds kUnsaid{60};
constexpr seconds kLongest{24 * 3600};

std::optional<std::int64_t> number_of(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110, section 5.6.7); its older forms are not sent any more.
std::optional<model::Instant> date_of(std::string_view text) {
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  if (text.size() != 29 || !text.ends_with(" GMT")) return std::nullopt;
  const std::size_t month = kMonths.find(text.substr(8, 3));
  if (month == kMonths.npos || month % 3 != 0) return std::nullopt;
  const std::string number = std::to_string(month / 3 + 1);
  std::string instant(text.substr(12, 4));
  instant.append(number.size() == 1 ? "-0" : "-").append(number).append("-").append(text.substr(5, 2));
  return model::parse_instant(instant.append("T").append(text.substr(17, 8)).append("Z"));
}

/// The service's clock as the answer shows it.
std::int64_t second_of(const Answer& answer, model::Instant now) {
  const auto theirs = date_of(answer.field("date"));
  return std::chrono::floor<seconds>(theirs.value_or(now)).time_since_epoch().count();
}

seconds bounded(std::int64_t count) {
  return seconds(std::clamp<std::int64_t>(count, 1, kLongest.count()));
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
  const std::string_view field = answer.field("retry-after");
  if (const auto count = number_of(field)) return bounded(*count);
  const auto date = date_of(field);
  if (!date) return std::nullopt;
  return bounded(std::chrono::floor<seconds>(*date).time_since_epoch().count() - second_of(answer, now));
}

seconds until_reset(const Answer& answer, model::Instant now) {
  // GitHub says x-ratelimit-*, GitLab ratelimit-*; both count seconds since 1970.
  for (const std::string prefix : {"x-ratelimit-", "ratelimit-"}) {
    const auto reset = number_of(answer.field(prefix + "reset"));
    if (reset && answer.field(prefix + "remaining") == "0") return bounded(*reset - second_of(answer, now));
  }
  return kUnsaid;
}

std::optional<seconds> asked_to_wait(const Answer& answer, model::Instant now) {
  if (!speaks_of_a_limit(answer)) return std::nullopt;
  if (const auto said = retry_after(answer, now)) return said;
  return until_reset(answer, now);
}

}  // namespace kbase::code_host
