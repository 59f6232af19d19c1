// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/commits/batch_partition.hpp"

#include <utility>

#include "domain/base/result.hpp"

namespace kbase::native_index {
namespace {

// Large enough to make the handover cheap, small enough to use little memory compared with the segments.
constexpr std::size_t kChangesPerBlock = 64;
constexpr std::size_t kMaxQueuedBlocks = 16;

}  // namespace

void BatchPartition::put(const model::ItemView& item) {
  delete_written(item.id);
  builder_.add(item, language_ ? *language_ : text::detect_language(item.title, item.content));
}

void BatchPartition::remove(std::string_view id) {
  delete_written(id);
  builder_.remove(id);
}

/// Deletes the item from the segments already written.
void BatchPartition::delete_written(std::string_view id) {
  for (BatchSegment& each : segments_)
    if (const auto document = each.segment->columns().ids().find(id)) each.deleted.insert(*document);
}

Status BatchPartition::write(float pivot) {
  if (builder_.documents() == 0) return {};
  auto created = KBASE_TRY(folder_.create_segment());
  const std::uint64_t number = created.number;
  auto written = builder_.write(created.file, ImpactScale(pivot));
  if (written) written = created.file.finish();
  if (!written) return written;
  auto segment = folder_.open_segment(number);
  if (!segment) {
    folder_.remove_segment(number);
    return segment.error();
  }
  DocumentSet none((*segment)->documents());
  segments_.push_back({number, *std::move(segment), std::move(none)});
  return {};
}

BatchWorker::BatchWorker(BatchPartition& partition, float pivot, std::size_t memory)
    : partition_(partition), pivot_(pivot), memory_(memory), thread_([this] { run(); }) {}

BatchWorker::~BatchWorker() {
  {
    const std::lock_guard lock(mutex_);
    queue_.clear();
  }
  stop_thread();
}

Status BatchWorker::put(const model::ItemView& item) { return add(model::Item(item)); }

Status BatchWorker::remove(std::string_view id) { return add(std::string(id)); }

Status BatchWorker::add(Change change) {
  next_block_.push_back(std::move(change));
  return next_block_.size() < kChangesPerBlock ? Status() : enqueue();
}

Status BatchWorker::enqueue() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return queue_.size() < kMaxQueuedBlocks || !status_; });
  if (!status_) return status_;
  queue_.push_back(std::exchange(next_block_, {}));
  changed_.notify_all();
  return {};
}

Status BatchWorker::finish() {
  auto enqueued = enqueue();
  stop_thread();
  return enqueued ? status_ : enqueued;
}

void BatchWorker::stop_thread() {
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
      changed_.wait(lock, [this] { return is_ending_ || !queue_.empty(); });
      if (queue_.empty()) break;
      changes = std::move(queue_.front());
      queue_.pop_front();
      changed_.notify_all();
    }
    if (auto applied = apply(changes); !applied) {
      const std::lock_guard lock(mutex_);
      status_ = std::move(applied);
      changed_.notify_all();
      return;
    }
  }
  auto written = partition_.write(pivot_);
  const std::lock_guard lock(mutex_);
  status_ = std::move(written);
}

Status BatchWorker::apply(const Changes& changes) {
  for (const Change& change : changes) {
    if (const auto* const id = std::get_if<std::string>(&change)) {
      partition_.remove(*id);
      continue;
    }
    partition_.put(std::get<model::Item>(change).view());
    if (partition_.pending().bytes() < memory_) continue;
    if (auto written = partition_.write(pivot_); !written) return written;
  }
  return {};
}

}  // namespace kbase::native_index
