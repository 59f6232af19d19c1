// SPDX-License-Identifier: Apache-2.0
#include "adapters/curl/retry.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <charconv>
#include <string>

#include "adapters/curl/jitter.hpp"

namespace kbase::curl {
namespace {

constexpr std::uint32_t kTooManyRequests = 429;
constexpr std::uint32_t kBadGateway = 502;
constexpr std::uint32_t kServiceUnavailable = 503;
constexpr std::uint32_t kGatewayTimeout = 504;

/// Longer is as good as for ever, and sums with it stay in range.
constexpr std::int64_t kLongestSeconds = 366LL * 24 * 3600;

/// nullopt: neither seconds nor a date.
std::optional<milliseconds> wait_of(const std::string& retry_after, model::Instant now) {
  std::int64_t seconds = 0;
  const char* const end = retry_after.data() + retry_after.size();
  const auto [stop, error] = std::from_chars(retry_after.data(), end, seconds);
  if (error != std::errc() || stop != end) {
    const std::time_t date = curl_getdate(retry_after.c_str(), nullptr);
    if (date < 0) return std::nullopt;
    seconds = date - std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
  }
  return std::chrono::seconds(std::clamp<std::int64_t>(seconds, 0, kLongestSeconds));
}

}  // namespace

std::optional<milliseconds> Retry::after_failure() const {
  if (retries_ >= options_.max_retries) return std::nullopt;
  constexpr std::uint32_t kMostDoublings = 16;
  return jittered(options_.pause * (1U << std::min(retries_, kMostDoublings)), random_);
}

std::optional<milliseconds> Retry::after_answer(const Head& head, model::Instant now) const {
  const bool may_say_when = head.status == kTooManyRequests || head.status == kServiceUnavailable;
  const std::string* const retry_after = may_say_when ? head.find("retry-after") : nullptr;
  const auto asked = retry_after != nullptr ? wait_of(*retry_after, now) : std::nullopt;
  if (!asked && head.status != kServiceUnavailable && head.status != kBadGateway && head.status != kGatewayTimeout)
    return std::nullopt;
  const auto pause = after_failure();
  if (!pause || !asked) return pause;
  if (*asked > options_.longest_pause) return std::nullopt;
  return *asked + *pause;  // chance on top: never sooner than asked
}

}  // namespace kbase::curl
