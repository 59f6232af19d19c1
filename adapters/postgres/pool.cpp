// SPDX-License-Identifier: Apache-2.0
#include "adapters/postgres/pool.hpp"

#include <algorithm>

namespace kbase::postgres {
namespace {

/// Timeout of the rollback of an abandoned transaction. After it the connection is closed, which also ends the
/// transaction.
constexpr std::chrono::seconds kRollbackTimeout{2};

void roll_back(Session& session, const ports::Clock& clock) {
  ports::Call call;
  call.deadline = clock.steady() + kRollbackTimeout;
  const Serving serving(session, call);
  [[maybe_unused]] const auto rolled_back = session.execute("ROLLBACK");
}

}  // namespace

Lease::~Lease() {
  if (session_) pool_->give_back(std::move(session_));
}

model::Result<Lease> Pool::take(const ports::Call& call) {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (auto turn = await_turn(lock, call); !turn) return turn.error();
    if (idle_.empty()) break;
    std::unique_ptr<Session> session = std::move(idle_.back());
    idle_.pop_back();
    if (session->is_usable()) {
      session->serve(&call);
      return Lease(*this, std::move(session));
    }
    --made_;
  }
  ++made_;
  lock.unlock();
  auto made = maker_(call);
  if (!made) {
    give_back(nullptr);
    return made.error();
  }
  (*made)->serve(&call);
  return Lease(*this, *std::move(made));
}

model::Status Pool::await_turn(std::unique_lock<std::mutex>& lock, const ports::Call& call) {
  const auto is_free = [this] { return !idle_.empty() || made_ < most_; };
  const auto until = std::chrono::steady_clock::now() + time_left(call, clock_);
  while (!is_free()) {
    if (call.cancelled()) return still_wanted(call, clock_);
    const auto now = std::chrono::steady_clock::now();
    if (now >= until) return busy_;
    returned_.wait_until(lock, std::min(until, now + kPollInterval), is_free);
  }
  return {};
}

void Pool::give_back(std::unique_ptr<Session> session) {
  if (session) {
    session->serve(nullptr);
    if (session->is_connected() && session->in_transaction()) roll_back(*session, clock_);
    if (!session->is_usable() || session->in_transaction()) session.reset();
  }
  {
    const std::lock_guard lock(mutex_);
    if (session)
      idle_.push_back(std::move(session));
    else
      --made_;
  }
  returned_.notify_one();
}

}  // namespace kbase::postgres
