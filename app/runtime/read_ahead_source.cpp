// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/read_ahead_source.hpp"

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "app/runtime/record_block.hpp"

namespace kbase::runtime {
namespace {

constexpr std::size_t kMostBlocks = 4;

/// Bounded queue of blocks between the reading thread and the storing thread.
class BlockQueue {
 public:
  /// Blocks while the queue is full. False: the queue is closed.
  bool put(std::unique_ptr<RecordBlock> block) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return blocks_.size() < kMostBlocks || closed_; });
    if (closed_) return false;
    blocks_.push_back(std::move(block));
    changed_.notify_all();
    return true;
  }

  /// Blocks until there is a block. Null: the queue is closed and empty.
  std::unique_ptr<RecordBlock> take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !blocks_.empty() || closed_; });
    if (blocks_.empty()) return nullptr;
    std::unique_ptr<RecordBlock> block = std::move(blocks_.front());
    blocks_.pop_front();
    changed_.notify_all();
    return block;
  }

  /// Ends the transfer; called by either side.
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::unique_ptr<RecordBlock>> blocks_;
  bool closed_ = false;
};

/// Reads the source to its end, or until the queue is closed.
model::Status fill(BlockQueue& queue, ports::ContentSource& source, ports::Call& call) {
  auto block = std::make_unique<RecordBlock>();
  auto read = source.read(call, [&](const ports::ContentRecord& record) {
    block->add(record);
    if (!block->is_full()) return model::Visit::Continue;
    const bool wanted = queue.put(std::exchange(block, std::make_unique<RecordBlock>()));
    return wanted ? model::Visit::Continue : model::Visit::Stop;
  });
  queue.put(std::move(block));
  queue.close();
  return read;
}

}  // namespace

model::Status ReadAheadSource::read(ports::Call& call, model::Visitor<ports::ContentRecord> visitor) {
  BlockQueue queue;
  model::Status read;
  ports::Call reading = call;
  std::thread reader([&] { read = fill(queue, source_, reading); });
  bool stopped = false;
  while (const auto block = stopped ? nullptr : queue.take())
    for (const ports::ContentRecord& record : block->records())
      if (stopped = visitor(record) == model::Visit::Stop; stopped) break;
  queue.close();
  reader.join();
  return stopped ? model::Status() : read;
}

}  // namespace kbase::runtime
