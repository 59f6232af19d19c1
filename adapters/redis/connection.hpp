// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "adapters/redis/bell.hpp"
#include "adapters/redis/channel.hpp"
#include "adapters/redis/outgoing.hpp"
#include "adapters/redis/reply.hpp"
#include "adapters/redis/timeout.hpp"
#include "ports/driven/clock.hpp"

namespace kbase::redis {

/// How a client introduces itself to a server.
struct Access {
  std::string username;  ///< empty: the default user
  std::string password;  ///< empty: none is sent
  std::uint32_t database = 0;
  std::shared_ptr<const TlsContext> tls;  ///< null: no TLS
};

/// Whether any server will do, or only one that takes writes and that replicas follow.
enum class Role { Any, Primary };

/// Commands that were sent together, and what became of them. Made and filled by a Connection.
struct Exchange {
  explicit Exchange(Commands asked) : commands(std::move(asked)) {}

  const Commands commands;
  std::vector<Reply> replies;
  std::optional<model::Error> error;  // in place of replies
  std::atomic<bool> is_done{false};   // the last thing that the connection does to it, but for ringing
  bool is_sent = false;               // at least in part, so that it has to be answered
  bool is_awaited = false;            // its owner is in finish()
  Bell bell;                          // it is done, or its owner is to lead
};

/// One connection to a server, which any number of threads use at once: what they send is pipelined. It has no thread
/// of its own. Of those who wait for replies one leads: it reads for all, and hands the lead on when its own are there.
/// What is posted while two replies are still to come gathers and is sent when they are there: many callers make few,
/// large messages, and a server that does not answer is sent no more than it was: a MiB, or one larger exchange.
///
/// It is opened with the first exchange, and again after an error. An exchange on a connection that is lost fails with
/// Unavailable and is not sent again, for nobody knows how far it got.
class Connection {
 public:
  /// `clock` outlives the connection. It tells how long an opening or a server has been silent.
  Connection(Endpoint endpoint, Access access, Role role, const ports::Clock& clock);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Sends `commands`, at once where the connection is open and owes few replies.
  std::shared_ptr<Exchange> post(Commands commands);

  /// Waits for the replies to an exchange that was posted here, which may be errors of Redis. Once for each.
  model::Result<std::vector<Reply>> finish(Exchange& exchange, const Timeout& timeout);

  /// How many exchanges are under way. Any time, and out of date at once.
  std::size_t load() const { return load_.load(std::memory_order_relaxed); }

 private:
  enum class Stage { Closed, Connecting, Greeting, Open };
  using Lock = std::unique_lock<std::mutex>;
  using Time = std::chrono::steady_clock::time_point;  // by clock_

  std::optional<model::Error> await(Exchange& exchange, const Timeout& timeout);

  // All of these with the mutex held; those that are given the lock let go of it meanwhile.
  void lead(Lock& lock, const Exchange& exchange, const Timeout& timeout);
  void appoint();
  void wake_done(Lock& lock);
  void give_up(const Exchange& exchange);
  template <class Work>
  void attempt(Work work);
  model::Status step(bool is_first);
  model::Status advance();
  void open();
  model::Status connect();
  bool is_overdue(Time now) const;
  model::Status check_time(Time now, bool is_first);
  void greet();
  model::Status check_greeting(const Reply& reply);
  void stage_exchanges();
  model::Status send();
  model::Status receive();
  model::Status deliver_all();
  model::Status deliver(Reply reply);
  void close();
  void fail(const model::Error& error);

  const Endpoint endpoint_;
  const Access access_;
  const Role role_;
  const ports::Clock& clock_;
  std::atomic<std::size_t> load_{0};

  std::mutex mutex_;
  Stage stage_ = Stage::Closed;
  std::shared_ptr<const Lookup> lookup_;  // one that outlasts the attempt to connect goes on for the next
  std::size_t first_address_ = 0;         // of those that were looked up, to try
  std::optional<Channel> channel_;
  ReplyReader reader_;
  std::array<char, 16 * 1024> room_;  // for what is received
  Outgoing outgoing_;
  std::size_t greetings_ = 0;  // replies to the greeting that are still to come
  std::deque<std::shared_ptr<Exchange>> waiting_;
  std::size_t sent_ = 0;                         // how many of them, from the front, were given to the channel
  std::vector<std::shared_ptr<Exchange>> done_;  // whose owners are still to be woken
  bool is_led_ = false;
  Time moved_;  // when opening last got on
  Time heard_;  // of the server, or since when it has something to answer
};

}  // namespace kbase::redis
