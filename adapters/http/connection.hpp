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

#include "adapters/http/body_budget.hpp"
#include "adapters/http/client_address.hpp"
#include "adapters/http/request_parser.hpp"
#include "adapters/http/response.hpp"
#include "adapters/http/server_options.hpp"

namespace kbase::http {

/// Set when nobody waits any more for the answer that it was handed out with.
using CancelFlag = std::shared_ptr<std::atomic<bool>>;

/// One client's connection: cuts what arrives into requests, answers them in their order, one at a time, and closes
/// when it must. It does the socket's reading and writing, without ever waiting; whoever owns it watches the socket,
/// tells it when to go on, and drops it once it is finished. Holds at most one unsent answer and one read's worth of
/// bytes that came before their turn. The thread of its reactor only.
class Connection {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// Who answers the requests.
  class Host {
   public:
    virtual ~Host() = default;
    /// The answer to the connection's request; nullopt: it comes by deliver().
    virtual std::optional<Response> on_request(Connection& connection, Request& request) = 0;
    virtual Response on_refusal(Connection& connection, const Refusal& refusal) = 0;
  };

  /// What the owner has to watch the socket for. Errors and hang-ups it always does.
  enum class Interest { Nothing, Read, Write };

  /// `socket` is the owner's, non-blocking, and open as long as the connection lives, as are the references.
  Connection(std::uint64_t id, int socket, const NetworkAddress& address, const ServerOptions& options,
             BodyBudget& bodies, Host& host, Time now);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Never given to another connection of the reactor.
  std::uint64_t id() const noexcept { return id_; }
  const Peer& peer() const noexcept { return peer_; }
  /// The request that is being read, as far as it is understood.
  const Request& request() noexcept { return parser_.request(); }
  Time now() const noexcept { return now_; }

  /// The socket has bytes, or its client has ended. `scratch` is for the length of the call.
  void on_readable(std::span<char> scratch, Time now);

  /// Sends what there is to send, as far as the socket takes it: to be called when the socket has room, and soon after
  /// any other call that leaves an answer unsent.
  void on_writable(Time now);

  /// Both directions of the socket are dead.
  void on_hang_up() noexcept { finish(); }

  /// Looks at the timeouts.
  void on_tick(Time now);

  /// Stops as soon as the requests it has begun are answered.
  void on_drain();

  /// The answer to the request that on_request() gave none for.
  void deliver(Response response, Time now);

  /// There is more of its body to take.
  void on_stream(Time now);

  /// Of the request that waits for its answer: a client that sends no more has left. Others may still read (RFC 9112
  /// section 9.6).
  void need_client() noexcept { needs_client_ = true; }

  /// One request more may come, soon; its answer says that there is no room.
  void make_over_limit() noexcept;
  bool is_over_limit() const noexcept { return is_over_limit_; }

  /// To be handed out with the request that waits for its answer; set when the connection goes.
  const CancelFlag& cancel_flag();

  Interest interest() const noexcept;
  /// Whether there is an answer of which nothing was sent yet: its owner chooses the moment.
  bool has_unsent_answer() const noexcept { return phase_ == Phase::Sending && unsent_; }
  bool is_finished() const noexcept { return phase_ == Phase::Finished; }

 private:
  enum class Phase {
    Reading,    // a request, or for one
    Waiting,    // for the answer of somebody else
    Sending,    // the rest of an answer that the socket had no room for
    Streaming,  // all that there is of an answer whose body is still being made is sent
    Lingering,  // all is sent and our side closed; reads on so that the client gets to see the answer (RFC 9112, 9.6)
    Finished,
  };

  std::size_t most_pending() const noexcept;
  void take(std::string_view bytes);
  void advance(std::string_view& bytes);
  void advance_pending();
  void end_of_input();
  void begin_request();
  void send_continue();
  void send(Response response);
  void flush();
  bool write_out();
  bool take_more();
  void after_answer();
  void linger();
  void watch_request();
  void finish() noexcept { phase_ = Phase::Finished; }

  const std::uint64_t id_;
  const int socket_;
  const Peer peer_;
  const ServerOptions& options_;
  Host& host_;
  Phase phase_ = Phase::Reading;
  RequestParser parser_;
  BodyBudget::Share body_;  // of the request that is being read or answered
  RequestParser::State seen_state_ = RequestParser::State::Idle;
  std::string pending_;  // bytes that came before their turn
  std::size_t pending_used_ = 0;
  bool input_ended_ = false;
  bool is_over_limit_ = false;
  bool needs_client_ = false;
  Response answer_;  // being sent
  std::size_t sent_ = 0;
  bool unsent_ = false;  // and nobody has tried to
  CancelFlag cancel_;
  Time now_;                       // of the event that is being handled
  Time deadline_;                  // when on_tick() acts; what it does depends on the phase
  Time stream_end_ = Time::max();  // when a body that is still being made is cut off, whatever the phase
};

}  // namespace kbase::http
