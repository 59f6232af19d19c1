// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/redis/channel.hpp"
#include "domain/base/result.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/clock.hpp"

namespace kbase::redis {

/// Timeout of a call. Sockets wait by the machine's clock, so the deadline of the call, which is measured by
/// ports::Clock, is converted once, when the call begins.
class Timeout {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// `call` must outlive this object.
  Timeout(const ports::Call& call, const ports::Clock& clock);

  /// Returns Cancelled or Deadline if the call was cancelled or is past its deadline.
  std::optional<Error> exhausted() const;

  /// Returns the end of the next wait for an event; after it, check exhausted() again, because a cancellation wakes no
  /// thread.
  Time next_check() const;

 private:
  const ports::Call& call_;
  Time until_;
};

/// Event that wakes the single thread waiting for it, without making it contend for a mutex of the thread that sets it.
/// Any thread can set it.
class Event {
 public:
  void set() {
    {
      const std::lock_guard lock(mutex_);
      is_set_ = true;
    }
    condition_.notify_one();
  }

  /// Waits until set() is or was called, or until `time`. Resets the event.
  void wait_until(std::chrono::steady_clock::time_point time) {
    std::unique_lock lock(mutex_);
    condition_.wait_until(lock, time, [this] { return is_set_; });
    is_set_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable condition_;
  bool is_set_ = false;
};

/// Shared value that one caller refreshes after it was marked outdated, while the others wait. Thread-safe.
template <class T> class Refreshable {
 public:
  using Value = std::shared_ptr<T>;

  /// Returns the value, refreshing it if needed. `refresh` creates it from the previous one, which is null at first:
  /// Result<Value>(Value). Fails with the error of `refresh`, or when the timeout ends.
  template <class Refresh> Result<Value> get(const Timeout& timeout, Refresh refresh) {
    Value before;  // destroyed after the lock is released, because that can take long
    Lock lock(mutex_);
    while (is_refreshing_) {
      if (auto exhausted = timeout.exhausted()) return *std::move(exhausted);
      changed_.wait_until(lock, timeout.next_check());
    }
    if (refreshed_ == invalidations_) return value_;
    const RefreshScope scope(*this, lock);
    const std::uint64_t refreshing = invalidations_;
    before = value_;
    lock.unlock();
    Result<Value> refreshed = refresh(before);
    lock.lock();
    if (!refreshed) return refreshed;
    value_ = *refreshed;
    refreshed_ = refreshing;
    return refreshed;
  }

  void invalidate() {
    const std::lock_guard lock(mutex_);
    ++invalidations_;
  }

 private:
  using Lock = std::unique_lock<std::mutex>;

  /// Exclusive right to refresh, held for a scope.
  class RefreshScope {
   public:
    RefreshScope(Refreshable& shared, Lock& lock) : shared_(shared), lock_(lock) { shared_.is_refreshing_ = true; }
    RefreshScope(const RefreshScope&) = delete;
    RefreshScope& operator=(const RefreshScope&) = delete;
    ~RefreshScope() {
      if (!lock_.owns_lock()) lock_.lock();
      shared_.is_refreshing_ = false;
      shared_.changed_.notify_all();
    }

   private:
    Refreshable& shared_;
    Lock& lock_;
  };

  std::mutex mutex_;
  std::condition_variable changed_;
  Value value_;
  std::uint64_t invalidations_ = 1;
  std::uint64_t refreshed_ = 0;  // value of invalidations_ that value_ was created for; equal: it is current
  bool is_refreshing_ = false;
};

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
