// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <curl/curl.h>

#include <memory>
#include <optional>
#include <string>

#include "adapters/curl/attempt.hpp"
#include "adapters/curl/failure_policy.hpp"
#include "adapters/curl/request.hpp"
#include "adapters/curl/response.hpp"
#include "adapters/curl/upstream_service.hpp"

namespace kbase::curl {

/// The loop's side of one exchange: makes attempts, one after the other, until a response is delivered or the time is
/// up.
///
/// Created on the thread that opens the exchange. All members except request() and pipe() may only be used on the
/// loop's thread.
class Transfer final : public Listener {
 public:
  using Time = ports::Call::SteadyTime;

  Transfer(std::shared_ptr<UpstreamService> service, Breaker::Pass pass, Request request, const ports::Call& call);

  const Request& request() const noexcept { return request_; }
  ResponsePipe& pipe() noexcept { return pipe_; }
  Time deadline() const noexcept { return deadline_; }  ///< on the service's clock

  /// Starts the first attempt, or queues the transfer for a slot.
  void accept(CURLM* multi);

  /// Handles libcurl's result of the attempt.
  void on_done(CURLcode code);

  /// Checks deadline, cancellation and reader. Called periodically, and after the reader did something.
  void poll();

  bool is_new() const noexcept { return state_ == State::New; }
  bool has_ended() const noexcept { return state_ == State::Ended; }

  /// Ends the transfer. The reader gets Unavailable.
  void shut_down();

  /// Called when the transfer is first in the queue and a slot is free.
  void on_slot();

  /// Frees the slot after the end. Returns the transfer that gets it; null: this one had no slot, or none is queued.
  Transfer* release_slot();

 private:
  enum class State {
    New,
    Queued,   ///< waits for a slot
    Running,  ///< an attempt is in progress
    Waiting,  ///< waits before the next attempt
    Ended,
  };

  bool on_send() override;
  Next on_head(Head& head) override;
  Next on_body(std::string_view bytes) override;

  bool is_redirect(const Head& head) const;
  Next redirect(const Head& head);

  bool may_be_sent() const noexcept;
  void count_retry();
  void start();
  void wait_before_next_attempt(milliseconds span);
  void note_activity(Time now);
  std::optional<Error> find_timeout(Time now) const;
  void succeed();
  void fail(Error why);
  void finish(Outcome outcome);
  bool was_silent() const;
  bool was_nearly_too_silent() const;
  Outcome outcome_of_status() const;
  Outcome outcome_of(ErrorCode code) const;

  const std::shared_ptr<UpstreamService> service_;
  Breaker::Pass pass_;
  const Request request_;
  ResponsePipe pipe_;
  Retry retry_;
  const Time opened_;
  const Time deadline_;

  State state_ = State::New;
  bool has_slot_ = false;
  CURLM* multi_ = nullptr;
  std::optional<Url> redirected_;  // target of the next attempt, if not the request's URL
  std::uint32_t redirects_ = 0;
  std::uint32_t attempts_ = 0;  // how often the request was sent
  std::unique_ptr<Attempt> attempt_;

  // State of the current attempt.
  Time started_{};
  Time last_activity_{};  // last time that anything arrived, or the start
  bool has_received_ = false;
  std::uint32_t status_ = 0;  // status of the delivered response
  bool has_body_ = false;     // whether a part of the body was delivered
  std::size_t discarded_bytes_ = 0;
  std::optional<milliseconds> next_wait_;  // wait before the next attempt; 0 for a redirect
  std::optional<Error> failure_;           // error found in the head
  Time wait_until_{};
};

}  // namespace kbase::curl
