// SPDX-License-Identifier: Apache-2.0
#include "adapters/curl/breaker.hpp"

#include <algorithm>
#include <utility>

#include "adapters/curl/jitter.hpp"

namespace kbase::curl {
namespace {

/// Minimum of `retry_after` in a refusal.
constexpr milliseconds kShortestRetryAfter{100};

}  // namespace

Breaker::Pass Breaker::ask(Time now) {
  if (state_ == State::Closed) return ordinary();
  if (state_ == State::Open && now >= until_) {
    state_ = State::Trying;
    return {.kind = Pass::Kind::Trial};
  }
  const auto rest = std::chrono::ceil<milliseconds>(until_ - now);
  return {.kind = Pass::Kind::Refused, .retry_after = std::max(rest, kShortestRetryAfter)};
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

void Breaker::begin_answer(Pass& pass) {
  if (pass.kind != Pass::Kind::Trial) return;
  pass = ordinary();
  state_ = State::Closed;
  failures_ = 0;
  is_on_probation_ = true;
}

Breaker::Pass Breaker::ordinary() const noexcept {
  return {.openings = openings_};
}

void Breaker::open_again(Time now) {
  open(std::min(span_ * 2, options_.longest_pause), now);
}

void Breaker::open(milliseconds span, Time now) {
  state_ = State::Open;
  ++openings_;
  span_ = span;
  pause_ = jittered(span, random_);
  until_ = now + pause_;
}

}  // namespace kbase::curl
