// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/worker_pool.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <optional>
#include <utility>

namespace kbase::runtime {
namespace {

constexpr int kStandingShare = 5;
constexpr int kFreeShare = 20;
constexpr int kNiceness = 10;

/// Lowers the priority of the calling thread, so that the reactor threads run first if cores are scarce: their work is
/// short and every request depends on it. On Linux niceness applies to each thread, and among the threads of one
/// program if it has its own session (autogroup) or cgroup.
void step_back() {
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kNiceness);
}

}  // namespace

WorkerPool::WorkerPool(std::size_t threads, const QueueLimits& limits, const ports::Clock& clock,
                       ports::Histogram* waits)
    : limits_(limits), clock_(clock), waits_(waits) {
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool WorkerPool::try_submit(Work work) {
  const Time now = clock_.steady();
  std::vector<Entry> late;
  bool taken = false;
  {
    const std::lock_guard lock(mutex_);
    late = take_late(now);
    taken = !stopping_ && late.empty() && queue_.size() < limits_.length;
    if (taken)
      queue_.push_back({std::move(work), now});
    else
      ++refused_;
  }
  if (taken) wake_.notify_one();
  for (const Entry& entry : late) call(entry, Turn::TooLate, now);
  return taken;
}

void WorkerPool::tell_late() {
  const Time now = clock_.steady();
  std::vector<Entry> late;
  {
    const std::lock_guard lock(mutex_);
    late = take_late(now);
  }
  for (const Entry& entry : late) call(entry, Turn::TooLate, now);
}

/// Removes late work from the queue. Called by submitters too, because the threads may be busy for long.
std::vector<WorkerPool::Entry> WorkerPool::take_late(Time now) {
  std::vector<Entry> late;
  if (busy_ + queue_.size() < threads_.size()) kept_up_ = now;
  judge(now);
  for (; !queue_.empty() && is_late(queue_.front(), now); queue_.pop_front()) late.push_back(std::move(queue_.front()));
  if (!late.empty()) last_late_ = now;
  late_ += late.size();
  return late;
}

void WorkerPool::call(const Entry& entry, Turn turn, Time now) const {
  if (waits_ != nullptr) waits_->observe(std::chrono::duration<double>(now - entry.since).count());
  entry.work(turn);
}

bool WorkerPool::is_late(const Entry& entry, Time now) const {
  return now - entry.since > (is_overloaded_ ? limits_.time / kStandingShare : limits_.time);
}

/// Updates the overload state. A queue kept short by refusals is served promptly and is empty now and then under any
/// load, so neither of these alone ends an overload.
void WorkerPool::judge(Time now) {
  const bool keeps_up = now - kept_up_ <= limits_.time;
  if (is_overloaded_) {
    is_overloaded_ = !keeps_up || now - last_late_ <= limits_.time;
  } else if (!keeps_up) {
    is_overloaded_ = true;
    last_late_ = now;
  }
}

WorkerPool::Stats WorkerPool::stats() const {
  const std::lock_guard lock(mutex_);
  return {threads_.size(), busy_, queue_.size(), refused_, late_};
}

void WorkerPool::run() {
  step_back();
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
    if (queue_.empty()) return;
    std::optional<Entry> entry = std::move(queue_.front());
    queue_.pop_front();
    const Time now = clock_.steady();
    if (now - entry->since <= limits_.time / kFreeShare) kept_up_ = now;
    judge(now);
    const Turn turn = is_late(*entry, now) ? Turn::TooLate : Turn::Came;
    if (turn == Turn::TooLate) {
      last_late_ = now;
      ++late_;
    }
    ++busy_;
    lock.unlock();
    call(*entry, turn, now);
    entry.reset();  // destroys the work before the lock is taken
    lock.lock();
    --busy_;
  }
}

}  // namespace kbase::runtime
