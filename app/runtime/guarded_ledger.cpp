// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/guarded_ledger.hpp"

#include <algorithm>

#include "app/runtime/fallback_ledgers.hpp"

namespace kbase::runtime {
namespace {

using model::ErrorCode;

bool has_any(std::span<const ports::Take* const> takes, ports::Take::Mode mode) {
  return std::any_of(takes.begin(), takes.end(), [&](const ports::Take* take) { return take->mode == mode; });
}

}  // namespace

ports::RateLimitStore::Capabilities GuardedLedger::capabilities() const {
  return {.inline_calls = false, .shared = parts_.store.capabilities().shared};
}

bool GuardedLedger::Waiting::is_over(const void* waiting) noexcept {
  const auto& self = *static_cast<const Waiting*>(waiting);
  return self.guard.state_ == State::Away || self.caller.requested();
}

model::Status GuardedLedger::take(ports::Call& call, std::span<const ports::Take* const> takes,
                                  std::span<ports::Taken* const> taken) {
  if (state_ == State::Away) return ask_fallback(call, takes, taken);
  const auto asked = ask_store(call, way_of(takes), takes.size(),
                               [&](ports::Call& bounded) { return parts_.store.take(bounded, takes, taken); });
  if (asked) tell_fallback(call, takes, taken);
  return asked || gave_up(call) ? asked : ask_fallback(call, takes, taken);
}

model::Status GuardedLedger::settle(ports::Call& call, const ports::Take& take, const ports::Taken& taken,
                                    std::uint32_t used) {
  if (take.mode != ports::Take::Mode::ChargeExactly) return {};
  // It was told of the charge. What it cannot settle it counts as it was estimated.
  [[maybe_unused]] const model::Status told = parts_.fallback.settle(call, take, taken, used);
  if (state_ == State::Away) return with_hint(cannot_count("the ledger is away: what was estimated stays charged"));
  return ask_store(call, Charge, 1,
                   [&](ports::Call& bounded) { return parts_.store.settle(bounded, take, taken, used); });
}

/// Asks for no longer than the store is given, and learns from how that ends.
template <class Question>
model::Status GuardedLedger::ask_store(ports::Call& call, Way way, std::size_t takes, const Question& question) {
  const Waiting waiting{*this, call.cancel};
  ports::Call bounded{std::min(call.deadline, parts_.clock.steady() + patience(way)),
                      ports::CancelSource(&waiting, Waiting::is_over), call.trace_id};
  const model::Status asked = question(bounded);
  if (asked) {
    answered(way);
    return asked;
  }
  const ErrorCode code = asked.error().code;
  if (gave_up(call) || code == ErrorCode::Unsupported) return asked;  // it says nothing about the store
  parts_.failures.add(takes);
  if (code != ErrorCode::Cancelled) failed(way, asked.error());
  return asked;
}

model::Status GuardedLedger::ask_fallback(ports::Call& call, std::span<const ports::Take* const> takes,
                                          std::span<ports::Taken* const> taken) {
  if (has_any(takes, ports::Take::Mode::ChargeExactly))
    return with_hint(cannot_count("the ledger is away, and this is counted by it alone"));
  parts_.without.add(takes.size());
  const auto asked = parts_.fallback.take(call, takes, taken);
  if (!asked) return with_hint(asked.error());
  return asked;
}

/// The error, with when the store is back, where that is known and later than it says.
model::Error GuardedLedger::with_hint(model::Error refused) const {
  const SteadyTime now = parts_.clock.steady();
  const SteadyTime back_at = back_at_;
  if (back_at > now)
    refused.retry_after = std::max(refused.retry_after, std::chrono::ceil<std::chrono::milliseconds>(back_at - now));
  return refused;
}

void GuardedLedger::tell_fallback(ports::Call& call, std::span<const ports::Take* const> takes,
                                  std::span<ports::Taken* const> taken) {
  for (std::size_t i = 0; i < takes.size(); ++i) {
    if (!takes[i]->is_charge() || !taken[i]->allowed) continue;
    ports::Taken ignored;
    ports::Taken* const answer = &ignored;
    // One that cannot count it now answers nothing in the store's place either.
    [[maybe_unused]] const model::Status told = parts_.fallback.take(call, takes.subspan(i, 1), {&answer, 1});
  }
}

void GuardedLedger::probe() {
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
    case State::Trying:  // nobody charged since the last probe, or it would be present
      return become_present();
  }
}

GuardedLedger::Way GuardedLedger::way_of(std::span<const ports::Take* const> takes) {
  for (const ports::Take* const take : takes)
    if (take->is_charge()) return Charge;
  return Look;
}

std::chrono::milliseconds GuardedLedger::patience(Way way) const {
  // What is tried gets the whole of it: a store that is well, only slow, must be able to come back.
  return state_ == State::Trying ? timeout_ : timeout_ / (1 + failures_[way]);
}

void GuardedLedger::answered(Way way) {
  if (state_ == State::Present) return end_rows(way);
  if (way != Charge) return;
  const std::lock_guard lock(mutex_);
  if (state_ == State::Trying) become_present();  // away: it was asked before, which says nothing about now
}

void GuardedLedger::end_rows(Way last) {
  for (std::size_t way = Probe; way <= last; ++way)
    if (failures_[way] != 0) failures_[way] = 0;  // a line of the cache that all threads read is seldom written
}

void GuardedLedger::become_present() {
  end_rows(Charge);
  state_ = State::Present;
  const auto away = std::chrono::ceil<std::chrono::seconds>(parts_.clock.steady() - away_since_);
  const ports::LogField fields[] = {{"away_seconds", static_cast<std::uint64_t>(away.count())}};
  parts_.log.log(ports::LogLevel::Info, "ledger.back", "the ledger answers again and counts", fields);
}

void GuardedLedger::failed(Way way, const model::Error& error) {
  const std::lock_guard lock(mutex_);
  back_at_ = parts_.clock.steady() + error.retry_after;
  if (state_ == State::Away) return;
  if (state_ == State::Present && ++failures_[way] < kFailures) return;
  const bool is_news = state_ == State::Present;
  state_ = State::Away;
  if (!is_news) return;
  away_since_ = parts_.clock.steady();
  const ports::LogField fields[] = {{"cause", error.detail}};
  parts_.log.log(ports::LogLevel::Error, "ledger.away",
                 error.message + "; until the ledger answers again, rate_limit.when_unavailable decides", fields);
}

}  // namespace kbase::runtime
