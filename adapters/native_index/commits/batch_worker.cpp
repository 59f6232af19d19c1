// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/commits/batch_worker.hpp"

#include <utility>

namespace kbase::native_index {
namespace {

// Large enough to make the handover cheap, small enough to use little memory compared with the segments.
constexpr std::size_t kTogether = 64;
constexpr std::size_t kMostWaiting = 16;

}  // namespace

BatchWorker::BatchWorker(BatchShare& share, float pivot, std::size_t memory)
    : share_(share), pivot_(pivot), memory_(memory), thread_([this] { run(); }) {}

BatchWorker::~BatchWorker() {
  {
    const std::lock_guard lock(mutex_);
    waiting_.clear();
  }
  end();
}

model::Status BatchWorker::put(const model::ItemView& item) {
  return add(model::Item(item));
}

model::Status BatchWorker::remove(std::string_view id) {
  return add(std::string(id));
}

model::Status BatchWorker::add(Change change) {
  gathered_.push_back(std::move(change));
  return gathered_.size() < kTogether ? model::Status() : hand_over();
}

model::Status BatchWorker::hand_over() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return waiting_.size() < kMostWaiting || !status_; });
  if (!status_) return status_;
  waiting_.push_back(std::exchange(gathered_, {}));
  changed_.notify_all();
  return {};
}

model::Status BatchWorker::finish() {
  auto handed = hand_over();
  end();
  return handed ? status_ : handed;
}

void BatchWorker::end() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void BatchWorker::run() {
  for (;;) {
    Changes changes;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return is_ending_ || !waiting_.empty(); });
      if (waiting_.empty()) break;
      changes = std::move(waiting_.front());
      waiting_.pop_front();
      changed_.notify_all();
    }
    if (auto applied = apply(changes); !applied) {
      const std::lock_guard lock(mutex_);
      status_ = std::move(applied);
      changed_.notify_all();
      return;
    }
  }
  auto written = share_.write(pivot_);
  const std::lock_guard lock(mutex_);
  status_ = std::move(written);
}

model::Status BatchWorker::apply(const Changes& changes) {
  for (const Change& change : changes) {
    if (const auto* const id = std::get_if<std::string>(&change)) {
      share_.remove(*id);
      continue;
    }
    share_.put(std::get<model::Item>(change).view());
    if (share_.gathered().bytes() < memory_) continue;
    if (auto written = share_.write(pivot_); !written) return written;
  }
  return {};
}

}  // namespace kbase::native_index
