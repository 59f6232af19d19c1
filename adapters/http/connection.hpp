// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "adapters/http/client_address.hpp"
#include "adapters/http/request_parser.hpp"
#include "adapters/http/response.hpp"
#include "adapters/http/server.hpp"
#include "adapters/http/upload_pipe.hpp"

namespace kbase::http {

/// Set when the client of a request is gone and its response is no longer needed.
using CancelFlag = std::shared_ptr<std::atomic<bool>>;

/// Connection of one client: splits the input into requests, answers them in order, one at a time, and closes when
/// necessary. Reads and writes the socket without blocking. Its owner polls the socket, calls the functions below and
/// destroys the connection once it is finished. Holds at most one unsent response and one read's worth of unprocessed
/// bytes. Only for the thread of its reactor.
class Connection {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// Handler of the requests of a connection.
  class Handler : public UploadPolicy {
   public:
    /// Returns the response, or nullopt if deliver() will provide it. For a request whose body is passed on while it
    /// arrives, it is called before the body, and must call begin_upload() unless it returns a response.
    virtual std::optional<HttpResponse> on_request(Connection& connection, Request& request) = 0;
    virtual HttpResponse on_refusal(Connection& connection, const Refusal& refusal) = 0;
  };

  /// Events that the owner must poll the socket for. Errors and hang-ups must always be polled.
  enum class Interest { Nothing, Read, Write };

  /// `socket` must be non-blocking and stays owned by the caller. The socket and the references must outlive the
  /// connection.
  Connection(std::uint64_t id, int socket, const NetworkAddress& address, const ServerOptions& options,
             BodyBudget& bodies, Handler& handler, Time now);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Unique among all connections of the reactor, also over time.
  std::uint64_t id() const noexcept { return id_; }
  const Peer& peer() const noexcept { return peer_; }
  /// The request that is being read, as far as it is parsed.
  const Request& request() noexcept { return parser_.request(); }
  Time now() const noexcept { return now_; }

  /// Handles readable data or the end of the input. `scratch` is used only during the call.
  void on_readable(std::span<char> scratch, Time now);

  /// Writes as much of the response as the socket accepts. Call it when the socket is writable, and soon after any
  /// other call that leaves an unsent response.
  void on_writable(Time now);

  /// Both directions of the socket are closed.
  void on_hang_up() noexcept { finish(); }

  /// Checks the timeouts.
  void on_tick(Time now);

  /// Closes the connection if it is idle. Requests that have started are answered first.
  void on_drain();

  /// Provides the response to a request for which on_request() returned nullopt.
  void deliver(HttpResponse response, Time now);

  /// Whether the body of the current request is passed on while it arrives.
  bool streams_body() const noexcept { return parser_.streams_body(); }

  /// Passes the body of the current request to `pipe`. The response closes the connection.
  void begin_upload(std::shared_ptr<UploadPipe> pipe) noexcept { upload_ = std::move(pipe); }

  /// Reports that the reader of the upload waits for more.
  void on_upload(Time now);

  /// Reports that more data of a streamed body is available.
  void on_stream(Time now);

  /// Closes the connection, and cancels its current request, if the client closes its sending side. Without this call,
  /// such a client still gets its response (RFC 9112 section 9.6).
  void require_client() noexcept { needs_client_ = true; }

  /// Accepts one more request within a short time; its response reports that the server is overloaded.
  void make_over_limit() noexcept;
  bool is_over_limit() const noexcept { return is_over_limit_; }

  /// Cancel flag for the current request; set when the connection is closed.
  const CancelFlag& cancel_flag();

  Interest interest() const noexcept;
  /// Returns whether there is a response of which nothing has been sent. The owner chooses when to send it.
  bool has_unsent_response() const noexcept { return phase_ == Phase::Sending && unsent_; }
  bool is_finished() const noexcept { return phase_ == Phase::Finished; }

 private:
  enum class Phase {
    Reading,    // reading a request, or waiting for one
    Uploading,  // reading a body that is passed on while it arrives
    Waiting,    // waiting for a response that deliver() will provide
    Sending,    // sending a response; the socket may be full
    Streaming,  // all available data of a streamed body is sent
    Lingering,  // response sent, write side closed; reads until the client has received it (RFC 9112, 9.6)
    Finished,
  };

  std::size_t max_pending_bytes() const noexcept;
  void process_input(std::string_view bytes);
  bool is_reading() const noexcept { return phase_ == Phase::Reading || phase_ == Phase::Uploading; }
  void process_requests(std::string_view& bytes);
  void pass_on_body();
  void expect_body();
  void refuse_upload(const Refusal& refusal);
  void process_pending();
  void on_input_end();
  void start_request();
  void send_continue();
  void send(HttpResponse response);
  void flush();
  bool write_out();
  bool load_more();
  void finish_response();
  void linger();
  void update_read_deadline();
  void finish() noexcept { phase_ = Phase::Finished; }

  const std::uint64_t id_;
  const int socket_;
  const Peer peer_;
  const ServerOptions& options_;
  Handler& handler_;
  Phase phase_ = Phase::Reading;
  RequestParser parser_;
  BodyBudget::Share body_;  // reservation for the request that is being read or answered
  RequestParser::State last_state_ = RequestParser::State::Idle;
  std::string pending_;  // bytes that cannot be processed yet
  std::size_t pending_used_ = 0;
  bool input_ended_ = false;
  bool is_over_limit_ = false;
  bool needs_client_ = false;
  std::shared_ptr<UploadPipe> upload_;
  std::size_t uploaded_ = 0;  // bytes since the deadline was set
  HttpResponse response_;     // response that is being sent
  std::size_t sent_ = 0;
  bool unsent_ = false;  // no attempt to send it was made yet
  CancelFlag cancel_;
  Time now_;                       // time of the current event
  Time deadline_;                  // time at which on_tick() acts, depending on the phase
  Time stream_end_ = Time::max();  // time at which a streamed body is cut off, in any phase
};

}  // namespace kbase::http
