// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <curl/curl.h>

#include <memory>
#include <optional>
#include <string>

#include "adapters/curl/answer_pipe.hpp"
#include "adapters/curl/attempt.hpp"
#include "adapters/curl/breaker.hpp"
#include "adapters/curl/request.hpp"
#include "adapters/curl/retry.hpp"
#include "adapters/curl/service.hpp"

namespace kbase::curl {

/// The loop's side of one exchange: attempts, one after the other, until the answer of one is handed out or time is up.
///
/// Made by the thread that opens the exchange; everything else, save request() and pipe(), is for the loop's thread.
class Transfer final : public Listener {
 public:
  using Time = ports::Call::SteadyTime;

  Transfer(std::shared_ptr<Service> service, Breaker::Pass pass, Request request, const ports::Call& call);

  const Request& request() const noexcept { return request_; }
  AnswerPipe& pipe() noexcept { return pipe_; }
  Time deadline() const noexcept { return deadline_; }  ///< by the service's clock

  /// The loop takes it: the first attempt begins, or it waits in line.
  void accept(CURLM* multi);

  /// libcurl is done with the attempt.
  void on_done(CURLcode code);

  /// Time has passed, or the reader did something.
  void look_around();

  bool is_new() const noexcept { return state_ == State::New; }
  bool has_ended() const noexcept { return state_ == State::Ended; }

  /// Ends it whatever it does; Unavailable for its reader.
  void shut_down();

  /// It was first in line, and a place on the wire is free.
  void take_place();

  /// Once it has ended: who gets its place; null: it had none, or nobody waits.
  Transfer* give_place();

 private:
  enum class State {
    New,
    InLine,   ///< waits for a place on the wire
    Running,  ///< an attempt is under way
    Resting,  ///< before the next one
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
  void rest(milliseconds span);
  void listen(Time now);
  std::optional<model::Error> overdue(Time now) const;
  void succeed();
  void fail(model::Error why);
  void finish(Outcome outcome);
  bool was_silent() const;
  bool was_nearly_too_silent() const;
  Outcome outcome_of_status() const;
  Outcome outcome_of(model::ErrorCode code) const;

  const std::shared_ptr<Service> service_;
  Breaker::Pass pass_;
  const Request request_;
  AnswerPipe pipe_;
  Retry retry_;
  const Time opened_;
  const Time deadline_;

  State state_ = State::New;
  bool has_place_ = false;
  CURLM* multi_ = nullptr;
  std::optional<Url> redirected_;  // where the next attempt goes, if not to the request's URL
  std::uint32_t redirects_ = 0;
  std::uint32_t attempts_ = 0;  // how often the request was sent
  std::unique_ptr<Attempt> attempt_;

  // Of the present attempt.
  Time began_{};
  Time last_heard_{};  // or its start
  bool has_heard_ = false;
  std::uint32_t status_ = 0;  // of the answer that is handed out
  bool has_body_ = false;     // some of which was handed out
  std::size_t discarded_bytes_ = 0;
  std::optional<milliseconds> rest_;     // before the next attempt; 0 of a redirect
  std::optional<model::Error> failure_;  // found at the head
  Time rest_until_{};
};

}  // namespace kbase::curl
