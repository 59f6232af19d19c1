// SPDX-License-Identifier: Apache-2.0
#include "adapters/curl/retry.hpp"

#include <algorithm>
#include <string>

#include "adapters/curl/jitter.hpp"
#include "adapters/http_fields/retry_after.hpp"

namespace kbase::curl {
namespace {

constexpr std::uint32_t kTooManyRequests = 429;
constexpr std::uint32_t kBadGateway = 502;
constexpr std::uint32_t kServiceUnavailable = 503;
constexpr std::uint32_t kGatewayTimeout = 504;

}  // namespace

std::optional<milliseconds> Retry::after_failure() const {
  if (retries_ >= options_.max_retries) return std::nullopt;
  constexpr std::uint32_t kMostDoublings = 16;
  return jittered(options_.pause * (1U << std::min(retries_, kMostDoublings)), random_);
}

std::optional<milliseconds> Retry::after_answer(const Head& head, model::Instant now) const {
  const bool may_say_when = head.status == kTooManyRequests || head.status == kServiceUnavailable;
  const std::string* const retry_after = may_say_when ? head.find("retry-after") : nullptr;
  const auto asked = retry_after != nullptr ? http_fields::retry_after(*retry_after, now) : std::nullopt;
  if (!asked && head.status != kServiceUnavailable && head.status != kBadGateway && head.status != kGatewayTimeout)
    return std::nullopt;
  const auto pause = after_failure();
  if (!pause || !asked) return pause;
  if (*asked > options_.longest_pause) return std::nullopt;
  return *asked + *pause;  // jitter is added, so that the wait is never shorter than requested
}

}  // namespace kbase::curl
