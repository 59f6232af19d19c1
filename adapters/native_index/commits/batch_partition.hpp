// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <variant>
#include <vector>

#include "adapters/native_index/commits/index_folder.hpp"
#include "adapters/native_index/commits/snapshot.hpp"
#include "adapters/native_index/segments/segment_builder.hpp"
#include "adapters/text/language.hpp"
#include "domain/model/item.hpp"

namespace kbase::native_index {

/// A segment of a batch, and the documents that later changes of the batch deleted from it.
struct BatchSegment {
  std::uint64_t number;
  std::shared_ptr<const Segment> segment;
  DocumentSet deleted;
};

/// One thread's partition of a batch: gathers items in its own segments. All changes of an item go to the same
/// partition, in order. Not thread-safe. After an error the object can only be destroyed.
class BatchPartition {
 public:
  /// `language` is the language of all items; nullopt: detected per item.
  BatchPartition(IndexFolder& folder, std::optional<text::Language> language) : folder_(folder), language_(language) {}

  void put(const model::ItemView& item);
  void remove(std::string_view id);

  /// Items gathered but not yet written to a segment.
  const SegmentBuilder& pending() const { return builder_; }

  /// Writes the gathered items, if any, to a new segment.
  Status write(float pivot);

  std::vector<BatchSegment>& segments() { return segments_; }
  const std::vector<BatchSegment>& segments() const { return segments_; }

 private:
  void delete_written(std::string_view id);

  IndexFolder& folder_;
  std::optional<text::Language> language_;
  SegmentBuilder builder_;
  std::vector<BatchSegment> segments_;
};

/// A thread that processes one partition of a batch. Its methods must be called from one other thread.
class BatchWorker {
 public:
  /// Starts the thread, which owns `partition` until finish(). `partition` must outlive the worker. `memory` is the
  /// number of bytes of gathered items at which they become a segment.
  BatchWorker(BatchPartition& partition, float pivot, std::size_t memory);
  ~BatchWorker();
  BatchWorker(const BatchWorker&) = delete;
  BatchWorker& operator=(const BatchWorker&) = delete;

  /// Copies the change and queues it; blocks while the queue is full. Errors are those of earlier changes.
  Status put(const model::ItemView& item);
  Status remove(std::string_view id);

  /// Processes the queue, writes the last segment and ends the thread.
  Status finish();

 private:
  using Change = std::variant<model::Item, std::string>;  // an item to put, or the id of an item to remove
  using Changes = std::vector<Change>;

  Status add(Change change);
  Status enqueue();
  void run();
  Status apply(const Changes& changes);
  void stop_thread();

  BatchPartition& partition_;
  const float pivot_;
  const std::size_t memory_;
  Changes next_block_;  // not queued yet

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Changes> queue_;
  Status status_;
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace kbase::native_index
