// SPDX-License-Identifier: Apache-2.0
#include "adapters/curl/failure_policy.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "adapters/base/retry_after.hpp"
#include "ports/driven/crypto.hpp"

namespace kbase::curl {
namespace {

constexpr std::uint32_t kTooManyRequests = 429;
constexpr std::uint32_t kBadGateway = 502;
constexpr std::uint32_t kServiceUnavailable = 503;
constexpr std::uint32_t kGatewayTimeout = 504;

/// Minimum of `retry_after` in a refusal.
constexpr milliseconds kMinRetryAfter{100};

}  // namespace

milliseconds add_jitter(milliseconds span, ports::Random& random) {
  std::array<std::uint8_t, 2> bytes{};
  random.fill(bytes);
  const int chance = bytes[0] * 256 + bytes[1];
  return span / 2 + (span - span / 2) * chance / 65'535;
}

std::optional<milliseconds> Retry::after_failure() const {
  if (retries_ >= options_.max_retries) return std::nullopt;
  constexpr std::uint32_t kMaxDoublings = 16;
  return add_jitter(options_.pause * (1U << std::min(retries_, kMaxDoublings)), random_);
}

std::optional<milliseconds> Retry::after_response(const Head& head, model::Instant now) const {
  const bool may_have_retry_after = head.status == kTooManyRequests || head.status == kServiceUnavailable;
  const std::string* const retry_after = may_have_retry_after ? head.find("retry-after") : nullptr;
  const auto requested = retry_after != nullptr ? http_fields::parse_retry_after(*retry_after, now) : std::nullopt;
  if (!requested && head.status != kServiceUnavailable && head.status != kBadGateway && head.status != kGatewayTimeout)
    return std::nullopt;
  const auto pause = after_failure();
  if (!pause || !requested) return pause;
  if (*requested > options_.max_pause) return std::nullopt;
  return *requested + *pause;  // jitter is added, so that the wait is never shorter than requested
}

Breaker::Pass Breaker::admit(Time now) {
  if (state_ == State::Closed) return ordinary();
  if (state_ == State::Open && now >= until_) {
    state_ = State::HalfOpen;
    return {.kind = Pass::Kind::Trial};
  }
  const auto rest = std::chrono::ceil<milliseconds>(until_ - now);
  return {.kind = Pass::Kind::Refused, .retry_after = std::max(rest, kMinRetryAfter)};
}

void Breaker::report(Pass pass, Verdict verdict, Time now) {
  if (pass.kind == Pass::Kind::Trial) {
    if (verdict == Verdict::Good) {
      state_ = State::Closed;
      failures_ = 0;
    } else if (verdict == Verdict::Bad) {
      open_again(now);
    } else {
      state_ = State::Open;  // the next exchange is the trial
    }
    return;
  }
  // An exchange that started before the last opening does not count.
  if (pass.openings != openings_ || verdict == Verdict::None) return;
  const bool was_on_probation = std::exchange(is_on_probation_, false);
  failures_ = verdict == Verdict::Good ? 0 : failures_ + 1;
  if (was_on_probation && failures_ > 0) return open_again(now);
  if (options_.failures > 0 && failures_ >= options_.failures) open(options_.pause, now);
}

void Breaker::begin_response(Pass& pass) {
  if (pass.kind != Pass::Kind::Trial) return;
  pass = ordinary();
  state_ = State::Closed;
  failures_ = 0;
  is_on_probation_ = true;
}

Breaker::Pass Breaker::ordinary() const noexcept { return {.openings = openings_}; }

void Breaker::open_again(Time now) { open(std::min(base_pause_ * 2, options_.max_pause), now); }

void Breaker::open(milliseconds span, Time now) {
  state_ = State::Open;
  ++openings_;
  base_pause_ = span;
  pause_ = add_jitter(span, random_);
  until_ = now + pause_;
}

}  // namespace kbase::curl
