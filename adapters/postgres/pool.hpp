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

/// A session on loan from its pool. It serves the call it was taken for until it is given back, without the transaction
/// that may still be open then.
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

/// Sessions, made as they are needed and kept; one whose server is gone is not lent again. Any thread. It outlives its
/// leases.
class Pool {
 public:
  using Maker = std::function<model::Result<std::unique_ptr<Session>>(const ports::Call&)>;

  /// `busy` is what a call fails with that waited in vain. `clock` outlives the pool.
  Pool(std::size_t most, model::Error busy, Maker maker, const ports::Clock& clock)
      : most_(most), busy_(std::move(busy)), maker_(std::move(maker)), clock_(clock) {}

  /// `busy`: all were for five seconds, or until the deadline. Cancelled; as the maker, where one has to be made.
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
