// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "adapters/postgres/session.hpp"

namespace kbase::postgres {

class Pool;

/// A session acquired from a pool. It works for the call that acquired it. The destructor rolls back an open
/// transaction and returns the session.
class Lease {
 public:
  Lease(Pool& pool, std::unique_ptr<Session> session) : pool_(&pool), session_(std::move(session)) {}
  Lease(Lease&&) noexcept = default;
  Lease& operator=(Lease&&) = delete;
  ~Lease();

  Session& operator*() const { return *session_; }
  Session* operator->() const { return session_.get(); }

 private:
  Pool* pool_;
  std::unique_ptr<Session> session_;
};

/// Pool of sessions, opened on demand and kept open. A session that has lost its server is not reused. Thread-safe.
/// Must outlive its leases.
class Pool {
 public:
  using Maker = std::function<model::Result<std::unique_ptr<Session>>(const ports::Call&)>;

  /// `busy` is the error of a call that waited too long. `clock` must outlive the pool.
  Pool(std::size_t most, model::Error busy, Maker maker, const ports::Clock& clock)
      : most_(most), busy_(std::move(busy)), maker_(std::move(maker)), clock_(clock) {}

  /// Acquires a session, opening one with the maker if none is idle. Fails with `busy` if no session became free within
  /// five seconds or before the deadline, with Cancelled, or with an error of the maker.
  model::Result<Lease> take(const ports::Call& call);

 private:
  friend class Lease;

  model::Status await_turn(std::unique_lock<std::mutex>& lock, const ports::Call& call);
  void give_back(std::unique_ptr<Session> session);

  const std::size_t most_;
  const model::Error busy_;
  const Maker maker_;
  const ports::Clock& clock_;
  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<std::unique_ptr<Session>> idle_;
  std::size_t made_ = 0;
};

}  // namespace kbase::postgres
