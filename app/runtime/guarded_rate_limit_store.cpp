// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/guarded_rate_limit_store.hpp"

#include <algorithm>

#include "app/runtime/fallback_rate_limiters.hpp"

namespace kbase::runtime {
namespace {

using model::ErrorCode;

bool has_any(std::span<const ports::AcquireRequest* const> requests, ports::AcquireRequest::Mode mode) {
  return std::any_of(requests.begin(), requests.end(),
                     [&](const ports::AcquireRequest* request) { return request->mode == mode; });
}

}  // namespace

ports::RateLimitStore::Capabilities GuardedRateLimitStore::capabilities() const {
  return {.inline_calls = false, .shared = parts_.store.capabilities().shared};
}

bool GuardedRateLimitStore::Waiting::is_over(const void* waiting) noexcept {
  const auto& self = *static_cast<const Waiting*>(waiting);
  return self.guard.state_ == State::Away || self.caller.requested();
}

model::Status GuardedRateLimitStore::acquire(ports::Call& call, std::span<const ports::AcquireRequest* const> requests,
                                             std::span<ports::Decision* const> decisions) {
  if (state_ == State::Away) return ask_fallback(call, requests, decisions);
  const auto asked = ask_store(call, way_of(requests), requests.size(), [&](ports::Call& bounded) {
    return parts_.store.acquire(bounded, requests, decisions);
  });
  if (asked) tell_fallback(call, requests, decisions);
  return asked || gave_up(call) ? asked : ask_fallback(call, requests, decisions);
}

model::Status GuardedRateLimitStore::adjust(ports::Call& call, const ports::AcquireRequest& request,
                                            const ports::Decision& decision, std::uint32_t used) {
  if (request.mode != ports::AcquireRequest::Mode::ChargeExactly) return {};
  // The fallback was charged too. If it cannot adjust, its estimate stays charged.
  [[maybe_unused]] const model::Status told = parts_.fallback.adjust(call, request, decision, used);
  if (state_ == State::Away)
    return with_hint(cannot_count("the rate limiter is away: what was estimated stays charged"));
  return ask_store(call, Charge, 1,
                   [&](ports::Call& bounded) { return parts_.store.adjust(bounded, request, decision, used); });
}

/// Calls the store with the current timeout and updates the state from the outcome.
template <class Question>
model::Status GuardedRateLimitStore::ask_store(ports::Call& call, Way way, std::size_t requests,
                                               const Question& question) {
  const Waiting waiting{*this, call.cancel};
  ports::Call bounded{std::min(call.deadline, parts_.clock.steady() + timeout(way)),
                      ports::CancelSource(&waiting, Waiting::is_over), call.trace_id};
  const model::Status asked = question(bounded);
  if (asked) {
    answered(way);
    return asked;
  }
  const ErrorCode code = asked.error().code;
  if (gave_up(call) || code == ErrorCode::Unsupported) return asked;  // neither outcome is a failure of the store
  parts_.failures.add(requests);
  if (code != ErrorCode::Cancelled) failed(way, asked.error());
  return asked;
}

model::Status GuardedRateLimitStore::ask_fallback(ports::Call& call,
                                                  std::span<const ports::AcquireRequest* const> requests,
                                                  std::span<ports::Decision* const> decisions) {
  if (has_any(requests, ports::AcquireRequest::Mode::ChargeExactly))
    return with_hint(cannot_count("the rate limiter is away, and this is counted by it alone"));
  parts_.without.add(requests.size());
  const auto asked = parts_.fallback.acquire(call, requests, decisions);
  if (!asked) return with_hint(asked.error());
  return asked;
}

/// Returns the error with `retry_after` raised to the store's recovery time, if that is known and later.
model::Error GuardedRateLimitStore::with_hint(model::Error refused) const {
  const SteadyTime now = parts_.clock.steady();
  const SteadyTime back_at = back_at_;
  if (back_at > now)
    refused.retry_after = std::max(refused.retry_after, std::chrono::ceil<std::chrono::milliseconds>(back_at - now));
  return refused;
}

void GuardedRateLimitStore::tell_fallback(ports::Call& call, std::span<const ports::AcquireRequest* const> requests,
                                          std::span<ports::Decision* const> decisions) {
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (!requests[i]->is_charge() || !decisions[i]->allowed) continue;
    ports::Decision ignored;
    ports::Decision* const answer = &ignored;
    // Ignored: a fallback that cannot count now will also fail when it has to decide.
    [[maybe_unused]] const model::Status told = parts_.fallback.acquire(call, requests.subspan(i, 1), {&answer, 1});
  }
}

void GuardedRateLimitStore::probe() {
  ports::Call call;
  call.deadline = parts_.clock.steady() + timeout_;
  const auto health = parts_.store.health(call);
  if (!health) return failed(Probe, health.error());
  const std::lock_guard lock(mutex_);
  switch (state_) {
    case State::Present:
      return end_rows(Probe);
    case State::Away:
      state_ = State::Trying;
      return;
    case State::Trying:  // no charge succeeded since the last probe, or it would be Present already
      return become_present();
  }
}

GuardedRateLimitStore::Way GuardedRateLimitStore::way_of(std::span<const ports::AcquireRequest* const> requests) {
  for (const ports::AcquireRequest* const request : requests)
    if (request->is_charge()) return Charge;
  return Look;
}

std::chrono::milliseconds GuardedRateLimitStore::timeout(Way way) const {
  // Full timeout in Trying: a healthy but slow store must be able to come back.
  return state_ == State::Trying ? timeout_ : timeout_ / (1 + failures_[way]);
}

void GuardedRateLimitStore::answered(Way way) {
  if (state_ == State::Present) return end_rows(way);
  if (way != Charge) return;
  const std::lock_guard lock(mutex_);
  if (state_ == State::Trying) become_present();  // Away: an old call; it proves nothing now
}

void GuardedRateLimitStore::end_rows(Way last) {
  for (std::size_t way = Probe; way <= last; ++way)
    if (failures_[way] != 0) failures_[way] = 0;  // avoids writing a cache line that all threads read
}

void GuardedRateLimitStore::become_present() {
  end_rows(Charge);
  state_ = State::Present;
  const auto away = std::chrono::ceil<std::chrono::seconds>(parts_.clock.steady() - away_since_);
  const ports::LogField fields[] = {{"away_seconds", static_cast<std::uint64_t>(away.count())}};
  parts_.log.log(ports::LogLevel::Info, "rate_limit.recovered", "the rate limiter answers again and counts", fields);
}

void GuardedRateLimitStore::failed(Way way, const model::Error& error) {
  const std::lock_guard lock(mutex_);
  back_at_ = parts_.clock.steady() + error.retry_after;
  if (state_ == State::Away) return;
  if (state_ == State::Present && ++failures_[way] < kFailures) return;
  const bool is_news = state_ == State::Present;
  state_ = State::Away;
  if (!is_news) return;
  away_since_ = parts_.clock.steady();
  const ports::LogField fields[] = {{"cause", error.detail}};
  parts_.log.log(ports::LogLevel::Error, "rate_limit.unavailable",
                 error.message + "; until the rate limiter answers again, rate_limit.when_unavailable decides", fields);
}

}  // namespace kbase::runtime
