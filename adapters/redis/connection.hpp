// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/redis/channel.hpp"
#include "adapters/redis/timeout.hpp"
#include "ports/driven/clock.hpp"

namespace kbase::redis {

/// Send buffer. Moves the remaining bytes to the front only when they are less than half, so that each byte is moved
/// less than once on average, however small the pieces are.
class SendBuffer {
 public:
  void add(std::string_view bytes) { bytes_ += bytes; }

  bool empty() const { return consumed_ == bytes_.size(); }

  /// Returns the unsent bytes. Valid until the next change.
  std::string_view unsent() const { return std::string_view(bytes_).substr(consumed_); }

  /// Removes the first `size` unsent bytes.
  void consume(std::size_t size) {
    consumed_ += size;
    if (!empty() && consumed_ <= bytes_.size() / 2) return;
    bytes_.erase(0, consumed_);
    consumed_ = 0;
  }

  void clear() {
    bytes_.clear();
    consumed_ = 0;
  }

 private:
  std::string bytes_;
  std::size_t consumed_ = 0;
};

/// Credentials, database and TLS settings of a connection.
struct Access {
  std::string username;  ///< empty: the default user
  std::string password;  ///< empty: no AUTH unless `username` is set
  std::uint32_t database = 0;
  std::shared_ptr<const TlsContext> tls;  ///< null: no TLS
};

/// Required role of the server: any, or a primary, which accepts writes.
enum class Role { Any, Primary };

/// Commands that are sent together, and their result. Created and filled by a Connection.
struct Exchange {
  explicit Exchange(Commands commands_to_send) : commands(std::move(commands_to_send)) {}

  const Commands commands;
  std::vector<Reply> replies;
  std::optional<Error> error;        // set instead of replies
  std::atomic<bool> is_done{false};  // set last by the connection, before it sets the event
  bool is_sent = false;              // at least partly, so replies will follow
  bool is_awaited = false;           // a thread is in finish()
  Event event;                       // set when the exchange is done or its thread must lead
};

/// One connection to a server, shared by any number of threads, whose commands are pipelined. It has no thread of its
/// own. One of the threads that wait for replies is the leader: it reads for all, and passes the lead on when its own
/// replies are complete. While two exchanges wait for replies, further exchanges are queued and sent afterwards: many
/// callers result in few, large messages, and a server that does not answer gets no more data than that: 1 MiB, or one
/// larger exchange.
///
/// The first exchange opens the connection; the next exchange reopens it after an error. If the connection is lost, its
/// exchanges fail with Unavailable and are not sent again, because it is unknown whether they were executed.
///
/// Thread-safe.
class Connection {
 public:
  /// `clock` must outlive the connection. It measures the timeouts of opening and of a silent server.
  Connection(Endpoint endpoint, Access access, Role role, const ports::Clock& clock);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Sends `commands`, at once if the connection is open and few replies are outstanding, else later.
  std::shared_ptr<Exchange> post(Commands commands);

  /// Waits for the replies to an exchange that was posted here. Replies can be errors of Redis. Call it once per
  /// exchange.
  Result<std::vector<Reply>> finish(Exchange& exchange, const Timeout& timeout);

  /// Number of exchanges in progress. Can be read at any time, and can be outdated at once.
  std::size_t load() const { return load_.load(std::memory_order_relaxed); }

 private:
  enum class Stage { Closed, Connecting, Greeting, Open };
  using Lock = std::unique_lock<std::mutex>;
  using Time = std::chrono::steady_clock::time_point;  // measured by clock_

  std::optional<Error> await(Exchange& exchange, const Timeout& timeout);

  // Called with the mutex held; those with a `lock` parameter release it in between.
  void lead_until_done(Lock& lock, const Exchange& exchange, const Timeout& timeout);
  void wake_next_leader();
  void wake_done(Lock& lock);
  void abandon(const Exchange& exchange);
  template <class Work> void run_step(Work work);
  Status step(bool is_first);
  Status advance();
  void open();
  Status connect();
  bool is_overdue(Time now) const;
  Status check_time(Time now, bool is_first);
  void send_greeting();
  Status check_greeting(const Reply& reply);
  void stage_exchanges();
  Status send();
  Status receive();
  Status deliver_all();
  Status deliver(Reply reply);
  void close();
  void fail(const Error& error);

  const Endpoint endpoint_;
  const Access access_;
  const Role role_;
  const ports::Clock& clock_;
  std::atomic<std::size_t> load_{0};

  std::mutex mutex_;
  Stage stage_ = Stage::Closed;
  std::shared_ptr<const Lookup> lookup_;  // an unfinished lookup is kept for the next attempt
  std::size_t first_address_ = 0;         // index of the next address to try
  std::optional<Channel> channel_;
  ReplyReader reader_;
  std::array<char, 16 * 1024> receive_buffer_;
  SendBuffer send_buffer_;
  std::size_t greetings_ = 0;  // outstanding replies to the greeting
  std::deque<std::shared_ptr<Exchange>> waiting_;
  std::size_t sent_ = 0;                         // number of those at the front that were passed to the channel
  std::vector<std::shared_ptr<Exchange>> done_;  // whose waiting threads must still be woken
  bool is_led_ = false;
  Time last_progress_;  // time of the last progress in opening
  Time last_received_;  // time of the last data received, or of the oldest unanswered send
};

/// Settings shared by all connections to the servers of one Redis.
struct Client {
  Access access;
  const ports::Clock& clock;    ///< must outlive them
  std::size_t connections = 1;  ///< per server
};

/// One server and the connections to it. Thread-safe.
class Server : public std::enable_shared_from_this<Server> {
 public:
  Server(Endpoint endpoint, const Client& client, Role role);

  /// Commands that were sent. Call finish() exactly once.
  class PendingReplies {
   public:
    PendingReplies(std::shared_ptr<Server> server, Connection& connection, std::shared_ptr<Exchange> exchange)
        : server_(std::move(server)), connection_(&connection), exchange_(std::move(exchange)) {}

    Result<std::vector<Reply>> finish(const Timeout& timeout) { return connection_->finish(*exchange_, timeout); }

   private:
    std::shared_ptr<Server> server_;  // owns the connection
    Connection* connection_;
    std::shared_ptr<Exchange> exchange_;
  };

  /// Sends the commands on the connection with the fewest exchanges in progress.
  PendingReplies post(Commands commands);

  /// Sends one command and waits for its reply. An error reply fails the call.
  Result<Reply> request(std::initializer_list<std::string_view> words, const Timeout& timeout);

  const Endpoint& endpoint() const { return endpoint_; }

 private:
  const Endpoint endpoint_;
  std::vector<std::unique_ptr<Connection>> connections_;
};

}  // namespace kbase::redis
