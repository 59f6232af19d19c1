// SPDX-License-Identifier: Apache-2.0
#include "adapters/curl/service.hpp"

#include <algorithm>
#include <utility>

namespace kbase::curl {
namespace {

constexpr milliseconds kBusyRetryAfter{1000};

model::Error too_busy(const std::string& service) {
  return {model::ErrorCode::Unavailable,
          "Too many requests to the external service are under way.",
          service + ": every place is taken, and as many wait as may",
          {},
          kBusyRetryAfter};
}

model::Error too_broken(const std::string& service, milliseconds retry_after) {
  return {model::ErrorCode::Unavailable,
          "The external service failed several times in a row and is left alone for a while.",
          service + ": the breaker is open",
          {},
          retry_after};
}

}  // namespace

Service::Service(const Surroundings& surroundings, ClientOptions options, std::vector<Origin> allowed)
    : surroundings_(surroundings),
      options_(std::move(options)),
      allowed_(std::move(allowed)),
      metrics_(surroundings.metrics, options_.service),
      breaker_(options_.breaker, surroundings.random) {}

model::Result<Breaker::Pass> Service::enter() {
  const std::lock_guard lock(mutex_);
  if (open_ >= options_.max_concurrent + options_.max_waiting) {
    metrics_.refused(Outcome::Busy);
    return too_busy(options_.service);
  }
  const Breaker::State before = breaker_.state();
  const Breaker::Pass pass = breaker_.ask(clock().steady());
  metrics_.breaker(before, breaker_.state());
  if (pass.kind == Breaker::Pass::Kind::Refused) {
    metrics_.refused(Outcome::Stopped);
    return too_broken(options_.service, pass.retry_after);
  }
  ++open_;
  metrics_.open(1);
  return pass;
}

void Service::leave(Breaker::Pass pass, Outcome outcome, Breaker::Time entered) {
  const std::lock_guard lock(mutex_);
  const Breaker::Time now = clock().steady();
  const Breaker::State before = breaker_.state();
  breaker_.report(pass, verdict_of(outcome), now);
  tell(before);
  --open_;
  metrics_.open(-1);
  metrics_.ended(outcome, now - entered);
}

void Service::begin_answer(Breaker::Pass& pass) {
  const std::lock_guard lock(mutex_);
  const Breaker::State before = breaker_.state();
  breaker_.begin_answer(pass);
  tell(before);
}

void Service::tell(Breaker::State before) const {
  const Breaker::State now = breaker_.state();
  metrics_.breaker(before, now);
  if (now == before) return;
  const ports::LogField service{"service", std::string_view(options_.service)};
  if (now == Breaker::State::Closed)
    surroundings_.log.log(ports::LogLevel::Info, "upstream.resumed", "The external service answers again.",
                          {&service, 1});
  if (now == Breaker::State::Open && before == Breaker::State::Closed)
    surroundings_.log.log(ports::LogLevel::Warning, "upstream.stopped",
                          "The external service fails. Nothing is asked of it until a trial succeeds.", {&service, 1});
}

bool Service::is_stopped(Breaker::Pass pass) const {
  const std::lock_guard lock(mutex_);
  return pass.kind == Breaker::Pass::Kind::Ordinary && breaker_.state() != Breaker::State::Closed;
}

model::Error Service::stopped() const {
  const std::lock_guard lock(mutex_);
  return too_broken(options_.service, breaker_.pause());
}

bool Service::take_place(Transfer& transfer) {
  if (places_taken_ < options_.max_concurrent) {
    ++places_taken_;
    return true;
  }
  line_.push_back(&transfer);
  metrics_.waiting(1);
  return false;
}

Transfer* Service::give_place() {
  if (line_.empty()) {
    --places_taken_;
    return nullptr;
  }
  Transfer* const next = line_.front();
  line_.pop_front();
  metrics_.waiting(-1);
  return next;
}

void Service::step_out(Transfer& transfer) {
  line_.erase(std::find(line_.begin(), line_.end(), &transfer));
  metrics_.waiting(-1);
}

}  // namespace kbase::curl
