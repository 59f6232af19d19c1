// SPDX-License-Identifier: Apache-2.0
#include "adapters/curl/transfer.hpp"

#include <algorithm>
#include <utility>

namespace kbase::curl {
namespace {

/// Limit for reading an unused response to its end, which keeps the connection reusable.
constexpr std::size_t kMaxDiscardedBytes = 64U << 10U;

/// If the service was silent for less than this when the deadline passed, the timeout does not count against it.
constexpr milliseconds kMinFairTime{1000};

constexpr std::uint32_t kFirstServerError = 500;

ports::Call::SteadyTime earlier(ports::Call::SteadyTime deadline, ports::Call::SteadyTime now, milliseconds total) {
  return total.count() == 0 ? deadline : std::min(deadline, now + total);
}

}  // namespace

Transfer::Transfer(std::shared_ptr<UpstreamService> service, Breaker::Pass pass, Request request,
                   const ports::Call& call)
    : service_(std::move(service)),
      pass_(pass),
      request_(std::move(request)),
      pipe_(call.cancel),
      retry_(service_->options().retry, service_->random()),
      opened_(service_->clock().steady()),
      deadline_(earlier(call.deadline, opened_, service_->options().total_timeout)) {}

// ---------------------------------------------------------------------------------------------------- attempts

void Transfer::accept(CURLM* multi) {
  multi_ = multi;
  state_ = State::Queued;
  if (service_->acquire_slot(*this)) on_slot();
}

void Transfer::on_slot() {
  has_slot_ = true;
  state_ = State::Running;
  if (!service_->is_breaker_open(pass_)) return start();
  finish(Outcome::Stopped);
  pipe_.fail(service_->breaker_error());
}

Transfer* Transfer::release_slot() { return std::exchange(has_slot_, false) ? service_->release_slot() : nullptr; }

void Transfer::start() {
  state_ = State::Running;
  started_ = last_activity_ = service_->clock().steady();
  has_received_ = false;
  discarded_bytes_ = 0;
  next_wait_.reset();
  attempt_ = std::make_unique<Attempt>(multi_, request_, redirected_ ? *redirected_ : request_.url, service_->options(),
                                       *this, this);
  if (attempt_->start_result() != CURLE_OK) fail(attempt_->failure(attempt_->start_result()));
}

void Transfer::on_done(CURLcode code) {
  if (failure_) return fail(*failure_);
  if (next_wait_) return wait_before_next_attempt(*next_wait_);
  if (status_ != 0 && code == CURLE_OK) return succeed();
  if (code == CURLE_OK) code = CURLE_GOT_NOTHING;  // it ended within its head
  Error why = attempt_->failure(code);
  // The connection broke within the body.
  if (status_ != 0 && why.code == ErrorCode::Unavailable) why = bad_response(why.detail);
  const bool may_try_again = status_ == 0 && request_.is_repeatable() && is_transient(code) && may_be_sent();
  const auto pause = may_try_again ? retry_.after_failure() : std::nullopt;
  if (!pause || service_->clock().steady() + *pause >= deadline_) return fail(std::move(why));
  count_retry();
  wait_before_next_attempt(*pause);
}

bool Transfer::may_be_sent() const noexcept { return request_.max_attempts == 0 || attempts_ < request_.max_attempts; }

bool Transfer::on_send() {
  if (!may_be_sent()) return false;
  ++attempts_;
  return true;
}

void Transfer::count_retry() {
  retry_.count();
  service_->metrics().count_retry();
}

void Transfer::wait_before_next_attempt(milliseconds span) {
  attempt_.reset();
  state_ = State::Waiting;
  wait_until_ = service_->clock().steady() + span;
  if (span.count() == 0) start();
}

void Transfer::poll() {
  if (has_ended()) return;
  const Time now = service_->clock().steady();
  note_activity(now);
  if (!pipe_.has_reader()) return finish(outcome_of_status());
  if (pipe_.is_cancelled()) return fail(cancelled());
  if (auto why = find_timeout(now)) return fail(std::move(*why));
  if (state_ == State::Running && pipe_.take_resume_request() && !attempt_->resume())
    return fail(bad_response("the transfer cannot continue after a pause"));
  if (state_ == State::Waiting && now >= wait_until_) start();
}

void Transfer::note_activity(Time now) {
  if (state_ != State::Running || !attempt_->take_activity()) return;
  has_received_ = true;
  last_activity_ = now;
}

std::optional<Error> Transfer::find_timeout(Time now) const {
  if (now >= deadline_) return timed_out("the deadline of the call expired");
  const ClientOptions& options = service_->options();
  const milliseconds longest = has_received_ ? options.idle_timeout : options.first_byte_timeout;
  if (state_ != State::Running || attempt_->is_paused() || now - last_activity_ < longest) return std::nullopt;
  return timed_out(has_received_ ? "the response stopped for longer than the idle timeout"
                                 : "no response within the first-byte timeout");
}

void Transfer::shut_down() {
  if (!has_ended()) fail(unreachable("the server is stopping"));
}

// ---------------------------------------------------------------------------------------------------- response

Transfer::Next Transfer::on_head(Head& head) {
  if (is_redirect(head)) return redirect(head);
  const bool may_try_again = request_.is_repeatable() && may_be_sent();
  const auto pause = may_try_again ? retry_.after_response(head, service_->clock().now()) : std::nullopt;
  if (pause && service_->clock().steady() + *pause < deadline_ && !service_->is_breaker_open(pass_)) {
    count_retry();
    next_wait_ = pause;
    return Next::Continue;
  }
  note_activity(service_->clock().steady());
  status_ = head.status;
  if (outcome_of_status() == Outcome::Responded) service_->begin_response(pass_);
  head.attempts = attempts_;
  pipe_.put_head(std::move(head));
  return Next::Continue;
}

Transfer::Next Transfer::on_body(std::string_view bytes) {
  if (status_ != 0) {
    note_activity(service_->clock().steady());
    has_body_ = true;
    return pipe_.put_body(bytes) == ResponsePipe::PutResult::HasSpace ? Next::Continue : Next::Pause;
  }
  discarded_bytes_ += bytes.size();
  return discarded_bytes_ > kMaxDiscardedBytes ? Next::Abort : Next::Continue;
}

bool Transfer::is_redirect(const Head& head) const {
  const bool moves = (head.status >= 301 && head.status <= 303) || head.status == 307 || head.status == 308;
  return moves && request_.max_redirects > 0 && request_.is_repeatable() && head.find("location") != nullptr;
}

Transfer::Next Transfer::redirect(const Head& head) {
  auto next = (redirected_ ? *redirected_ : request_.url).resolve(*head.find("location"));
  if (redirects_ == request_.max_redirects || !may_be_sent())
    failure_ = bad_response("more redirects than allowed");
  else if (!next)
    failure_ = bad_response("redirected to an invalid URL: " + next.error().message);
  else if (next->origin() != request_.url.origin())
    failure_ = bad_response("redirected to another origin: " + next->origin().text());
  if (failure_) return Next::Abort;
  ++redirects_;
  redirected_ = std::move(*next);
  next_wait_ = milliseconds(0);
  return Next::Continue;
}

// ---------------------------------------------------------------------------------------------------- end

Outcome Transfer::outcome_of_status() const {
  if (status_ == 0) return Outcome::Cancelled;
  return status_ < kFirstServerError ? Outcome::Responded : Outcome::ServerError;
}

void Transfer::succeed() {
  finish(outcome_of_status());
  pipe_.end();
}

/// Whether the service caused the timeout: a limit of the client passed, or the deadline passed after a silence. False
/// if the deadline passed while a response was arriving, or while the reader did not read.
bool Transfer::was_silent() const {
  if (state_ != State::Running || attempt_->is_paused()) return false;
  const Time now = service_->clock().steady();
  return now < deadline_ || now - last_activity_ >= kMinFairTime;
}

/// Whether a caller probably cancelled because of the service's silence. A caller with its own silence limit cannot
/// express that as a deadline, because a response may take longer, so it cancels shortly before the client's limit. For
/// a caller a response begins with its body, so before the body the silence counts from the start of the attempt.
bool Transfer::was_nearly_too_silent() const {
  constexpr int kPercent = 90;
  if (state_ != State::Running || attempt_->is_paused()) return false;
  const ClientOptions& options = service_->options();
  const milliseconds longest = has_body_ ? options.idle_timeout : options.first_byte_timeout;
  return 100 * (service_->clock().steady() - (has_body_ ? last_activity_ : started_)) >= kPercent * longest;
}

Outcome Transfer::outcome_of(ErrorCode code) const {
  switch (code) {
    case ErrorCode::Unavailable: return Outcome::Unreachable;
    case ErrorCode::BadUpstream: return Outcome::BadResponse;
    case ErrorCode::Deadline: return was_silent() ? Outcome::TimedOut : Outcome::Late;
    default: return was_nearly_too_silent() ? Outcome::TimedOut : Outcome::Cancelled;
  }
}

void Transfer::fail(Error why) {
  why.detail = service_->options().service + " at " + request_.url.origin().text() + ": " + why.detail;
  finish(outcome_of(why.code));
  pipe_.fail(std::move(why));
}

/// Must run before the reader gets the end of the response, so that its next exchange is admitted.
void Transfer::finish(Outcome outcome) {
  if (state_ == State::Queued) service_->leave_queue(*this);
  state_ = State::Ended;
  attempt_.reset();
  service_->leave(pass_, outcome, opened_);
}

}  // namespace kbase::curl
