// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "adapters/base/waiting.hpp"
#include "domain/base/result.hpp"
#include "ports/driven/call.hpp"

namespace kbase {

/// Pool of connections, opened on demand and kept open. Thread-safe. Must outlive its leases.
///
/// A `Connection` has `set_call(const ports::Call*)`, which is null while it is idle, `is_usable()`, and `reset()`,
/// which ends an open transaction and returns whether the connection can be used again. A Transaction calls `run(sql)`.
template <class Connection> class Pool {
 public:
  using Opener = std::function<Result<std::unique_ptr<Connection>>(const ports::Call&)>;

  /// A connection that works for the call that acquired it. The destructor returns it to the pool.
  class Lease {
   public:
    Lease(Pool& pool, std::unique_ptr<Connection> connection) : pool_(&pool), connection_(std::move(connection)) {}
    Lease(Lease&&) noexcept = default;
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (connection_) pool_->release(std::move(connection_));
    }

    Connection& operator*() const { return *connection_; }
    Connection* operator->() const { return connection_.get(); }

   private:
    Pool* pool_;
    std::unique_ptr<Connection> connection_;
  };

  Pool(std::size_t capacity, Opener opener) : capacity_(capacity), opener_(std::move(opener)) {}

  /// Adds an idle connection.
  void add(std::unique_ptr<Connection> connection) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(connection));
    ++opened_;
  }

  /// Acquires a connection, opening one if none is idle. Serves callers in the order of their calls. Waits at most
  /// `limit`; `busy()` returns the error of a call that waited too long or was cancelled. Other errors: those of the
  /// opener.
  template <class Busy> Result<Lease> acquire(const ports::Call& call, std::chrono::nanoseconds limit, Busy busy) {
    std::unique_lock lock(mutex_);
    if (!wait_for_turn(lock, call, limit)) return busy();
    while (!idle_.empty()) {
      std::unique_ptr<Connection> connection = std::move(idle_.back());
      idle_.pop_back();
      if (connection->is_usable()) return lease(std::move(connection), call);
      --opened_;
    }
    ++opened_;
    lock.unlock();
    auto opened = opener_(call);
    if (opened) return lease(*std::move(opened), call);
    release(nullptr);
    return std::move(opened).error();
  }

 private:
  /// Returns whether a connection is idle or can be opened for this caller. False: it waited too long or was cancelled.
  bool wait_for_turn(std::unique_lock<std::mutex>& lock, const ports::Call& call, std::chrono::nanoseconds limit) {
    const std::uint64_t turn = next_turn_++;
    turns_.push_back(turn);
    const bool is_free = waiting::wait(call, limit, lock, returned_, [this, turn] {
      return turns_.front() == turn && (!idle_.empty() || opened_ < capacity_);
    });
    std::erase(turns_, turn);
    if (!turns_.empty()) returned_.notify_all();  // the next one may have a free connection too
    return is_free;
  }

  Lease lease(std::unique_ptr<Connection> connection, const ports::Call& call) {
    connection->set_call(&call);
    return Lease(*this, std::move(connection));
  }

  void release(std::unique_ptr<Connection> connection) {
    if (connection) {
      connection->set_call(nullptr);
      if (!connection->reset()) connection.reset();
    }
    {
      const std::lock_guard lock(mutex_);
      if (connection)
        idle_.push_back(std::move(connection));
      else
        --opened_;
    }
    returned_.notify_all();  // only the first of those that wait can go on
  }

  const std::size_t capacity_;
  const Opener opener_;
  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<std::unique_ptr<Connection>> idle_;
  std::size_t opened_ = 0;
  std::deque<std::uint64_t> turns_;  // callers that wait, in their order
  std::uint64_t next_turn_ = 0;
};

/// An open transaction. Reads see one state of the database; writes are atomic. The destructor returns the connection,
/// which rolls back unless committed.
template <class Connection> class Transaction {
 public:
  using Lease = typename Pool<Connection>::Lease;

  /// `sql` begins the transaction.
  static Result<Transaction> begin(Lease lease, const char* sql) {
    KBASE_TRY(lease->run(sql));
    return Transaction(std::move(lease));
  }

  Connection& operator*() const { return *lease_; }
  Connection* operator->() const { return lease_.operator->(); }

  Status commit() { return lease_->run("COMMIT"); }

 private:
  explicit Transaction(Lease lease) : lease_(std::move(lease)) {}

  Lease lease_;
};

}  // namespace kbase
