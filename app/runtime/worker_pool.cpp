// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/worker_pool.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <optional>
#include <utility>

namespace kbase::runtime {
namespace {

constexpr int kShortQueueFactor = 10;
constexpr int kOverloadShare = 5;
constexpr int kPromptShare = 20;
constexpr int kNiceness = 10;

/// Lowers the priority of the calling thread, so that the reactor threads run first if cores are scarce: their work is
/// short and every request depends on it. On Linux niceness applies to each thread, and among the threads of one
/// program if it has its own session (autogroup) or cgroup.
void lower_priority() { ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kNiceness); }

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
  bool accepted = false;
  {
    const std::lock_guard lock(mutex_);
    late = remove_late(now);
    accepted = !stopping_ && late.empty() && queue_.size() + promised_.size() < limits_.length;
    if (accepted)
      queue_.push_back({std::move(work), now});
    else
      ++refused_;
  }
  if (accepted) wake_.notify_one();
  for (const Entry& entry : late) call(entry, Timing::TooLate, now);
  return accepted;
}

bool WorkerPool::has_free_thread() const {
  const std::lock_guard lock(mutex_);
  return is_thread_free();
}

/// Requires mutex_.
bool WorkerPool::is_thread_free() const { return busy_ + queue_.size() + promised_.size() < threads_.size(); }

void WorkerPool::submit(Work work) {
  {
    const std::lock_guard lock(mutex_);
    promised_.push_back({std::move(work), clock_.steady()});
  }
  wake_.notify_one();
}

void WorkerPool::fail_late() {
  const Time now = clock_.steady();
  std::vector<Entry> late;
  {
    const std::lock_guard lock(mutex_);
    late = remove_late(now);
  }
  for (const Entry& entry : late) call(entry, Timing::TooLate, now);
}

/// Removes late work from the queue. Called by submitters too, because the threads may be busy for long.
std::vector<WorkerPool::Entry> WorkerPool::remove_late(Time now) {
  std::vector<Entry> late;
  if (is_thread_free()) last_prompt_ = now;
  update_overload(now);
  for (; !queue_.empty() && now - queue_.front().since > longest_wait(); queue_.pop_front())
    late.push_back(std::move(queue_.front()));
  late_ += late.size();
  return late;
}

void WorkerPool::call(const Entry& entry, Timing timing, Time now) const {
  if (waits_ != nullptr) waits_->observe(std::chrono::duration<double>(now - entry.since).count());
  entry.work(timing);
}

/// Returns how long the oldest work in the queue may wait. Requires mutex_.
std::chrono::milliseconds WorkerPool::longest_wait() const {
  if (is_overloaded_) return limits_.time / kOverloadShare;
  return queue_.size() > threads_.size() ? limits_.time : limits_.time * kShortQueueFactor;
}

/// Updates the overload state. A queue kept short by refusals is served promptly and is empty now and then under any
/// load, so neither of these alone ends an overload.
void WorkerPool::update_overload(Time now) {
  const bool is_prompt = now - last_prompt_ <= limits_.time;
  const bool is_late = !queue_.empty() && now - queue_.front().since > longest_wait();
  if (is_late) last_late_ = now;
  if (is_overloaded_) {
    is_overloaded_ = !is_prompt || now - last_late_ <= limits_.time;
  } else if (!is_prompt && queue_.size() > threads_.size()) {
    is_overloaded_ = true;
    last_late_ = now;
  }
}

WorkerPool::Stats WorkerPool::stats() const {
  const std::lock_guard lock(mutex_);
  return {threads_.size(), busy_, queue_.size() + promised_.size(), refused_, late_, is_overloaded_};
}

void WorkerPool::run() {
  lower_priority();
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return stopping_ || !queue_.empty() || !promised_.empty(); });
    const bool is_promised = !promised_.empty();
    std::deque<Entry>& queue = is_promised ? promised_ : queue_;
    if (queue.empty()) return;
    const Time now = clock_.steady();
    const auto waited = now - queue.front().since;
    if (waited <= limits_.time / kPromptShare) last_prompt_ = now;
    update_overload(now);
    const Timing timing = !is_promised && waited > longest_wait() ? Timing::TooLate : Timing::OnTime;
    std::optional<Entry> entry = std::move(queue.front());
    queue.pop_front();
    if (timing == Timing::TooLate) ++late_;
    ++busy_;
    lock.unlock();
    call(*entry, timing, now);
    entry.reset();  // destroys the work before the lock is taken
    lock.lock();
    --busy_;
  }
}

}  // namespace kbase::runtime
