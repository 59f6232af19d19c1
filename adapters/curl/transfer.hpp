// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <curl/curl.h>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "adapters/curl/options.hpp"
#include "adapters/curl/request.hpp"
#include "adapters/curl/upstream_service.hpp"
#include "domain/base/result.hpp"

namespace kbase::curl {

/// Receiver of the events of an attempt. Called on the loop's thread. May throw std::bad_alloc.
class Listener {
 public:
  enum class Next { Continue, Pause, Abort };

  virtual ~Listener() = default;
  /// Called before the request is sent, also before libcurl repeats it. False: the request must not be sent, and the
  /// attempt ends.
  virtual bool on_send() = 0;
  virtual Next on_head(Head& head) = 0;
  virtual Next on_body(std::string_view bytes) = 0;
};

/// One attempt at a request: a libcurl easy handle in a multi handle. libcurl repeats the request by itself if a pooled
/// connection is dead. Use it only on the loop's thread.
class Attempt {
 public:
  /// All arguments must outlive the attempt. `owner` is the private pointer that the loop gets from the handle when it
  /// is done.
  Attempt(CURLM* multi, const Request& request, const Url& url, const ClientOptions& options, Listener& listener,
          void* owner);
  ~Attempt();
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;

  /// CURLE_OK: the attempt is in progress. Otherwise it did not start.
  CURLcode start_result() const noexcept { return start_result_; }

  /// Continues after a pause. False: libcurl could not continue.
  bool resume();

  bool is_paused() const noexcept { return is_paused_; }

  /// Whether anything arrived since the last call.
  bool take_activity() noexcept { return std::exchange(had_activity_, false); }

  /// Returns the error for the result `code` of the attempt.
  Error failure(CURLcode code) const;

 private:
  struct End {
    void operator()(CURL* handle) const noexcept { curl_easy_cleanup(handle); }
    void operator()(curl_slist* list) const noexcept { curl_slist_free_all(list); }
  };

  template <class T> void set(CURLoption option, T value);
  void set_up(const Request& request, const Url& url, const ClientOptions& options, void* owner);
  void set_method(const Request& request);
  void set_fields(const Request& request, const ClientOptions& options);

  bool was_sent() const;
  std::size_t apply(Listener::Next next, std::size_t size);
  std::size_t on_line(std::string_view line);
  std::size_t on_body(std::string_view bytes);
  static int send_entry(void* self, char*, char*, int, int) noexcept;
  static std::size_t line_entry(char* data, std::size_t one, std::size_t size, void* self) noexcept;
  static std::size_t body_entry(char* data, std::size_t one, std::size_t size, void* self) noexcept;

  CURLM* const multi_;
  Listener& listener_;
  HeadParser head_;
  std::array<char, CURL_ERROR_SIZE> text_{};
  std::unique_ptr<curl_slist, End> lines_;
  std::unique_ptr<CURL, End> handle_;  // destroyed before the data it refers to
  CURLcode start_result_ = CURLE_OK;
  const char* error_text_ = nullptr;  // error found in the response by this class
  bool is_out_of_memory_ = false;
  bool must_not_be_sent_ = false;
  bool is_paused_ = false;
  bool had_activity_ = false;
};

/// Sets how a URL is reached: the protocols, the proxy and the trusted certificate authorities. `url` and `options`
/// must outlive the transfer of `handle`.
CURLcode set_connection_options(CURL* handle, const Url& url, const ClientOptions& options);

/// Errors of an exchange, with their messages. `detail` is written to the log only.
Error unreachable(std::string detail);
Error timed_out(std::string detail);
Error bad_response(std::string detail);
Error cancelled();

/// Returns the error for libcurl's result of a transfer. `text` is the content of libcurl's error buffer.
Error to_error(CURLcode code, const std::string& text);

/// Whether a retry of the request may succeed soon: the connection failed, not the response.
bool is_transient(CURLcode code);

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
