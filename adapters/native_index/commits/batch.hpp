// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <variant>
#include <vector>

#include "adapters/native_index/commits/index_folder.hpp"
#include "adapters/native_index/commits/seen_ids.hpp"
#include "adapters/native_index/commits/snapshot.hpp"
#include "adapters/native_index/segments/segment_builder.hpp"
#include "adapters/text/language.hpp"
#include "domain/base/function_ref.hpp"
#include "domain/model/item.hpp"
#include "ports/driven/search_index.hpp"

namespace kbase::native_index {

/// Parameters of a batch.
struct BatchSetup {
  IndexFolder& folder;
  std::string settings;
  std::optional<text::Language> language;  ///< language of all items; nullopt: detected per item
  std::size_t memory = 0;                  ///< total bytes of gathered items at which they become segments
  std::size_t threads = 1;                 ///< that analyse the items of a rebuild, in addition to the caller's
  ports::SearchIndex::Build build = ports::SearchIndex::Build::Update;
  model::StoreId store_id{};
};

/// The dictionary of the texts of a batch, so that merges of its segments copy them. Learned from the first segment
/// that has enough. Thread-safe.
class BatchDictionary {
 public:
  /// `known` may be null.
  explicit BatchDictionary(std::shared_ptr<const TextDictionary> known) : dictionary_(std::move(known)) {}

  /// Returns the dictionary for a segment with the items of `builder`; null: none yet.
  std::shared_ptr<const TextDictionary> get(const SegmentBuilder& builder) {
    const std::lock_guard lock(mutex_);
    if (dictionary_ == nullptr) dictionary_ = builder.learn_dictionary();
    return dictionary_;
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<const TextDictionary> dictionary_;
};

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
  BatchPartition(IndexFolder& folder, std::optional<text::Language> language, BatchDictionary& dictionary)
      : folder_(folder), language_(language), dictionary_(dictionary) {}

  void put(const model::ItemView& item);
  void remove(std::string_view id);

  /// Items gathered but not yet written to a segment.
  const SegmentBuilder& pending() const { return builder_; }

  /// Writes the gathered items, if any, to a new segment. Merges the segments of a size once they are many, so that a
  /// large rebuild publishes few of them. Errors: also Cancelled after request_stop().
  Status write();

  /// Ends a running merge. Thread-safe.
  void request_stop() { is_stopped_ = true; }

  std::vector<BatchSegment>& segments() { return segments_; }
  const std::vector<BatchSegment>& segments() const { return segments_; }

 private:
  void delete_written(std::string_view id);
  Status write_segment(FunctionRef<Status(SectionFileWriter&)> writer);
  Status merge_many();

  IndexFolder& folder_;
  std::optional<text::Language> language_;
  BatchDictionary& dictionary_;
  SegmentBuilder builder_;
  std::vector<BatchSegment> segments_;
  SeenIds seen_;
  std::atomic<bool> is_stopped_ = false;
};

/// A thread that processes one partition of a batch. Its methods must be called from one other thread.
class BatchWorker {
 public:
  /// Starts the thread, which owns `partition` until finish(). `partition` must outlive the worker. `memory` is the
  /// number of bytes of gathered items at which they become a segment.
  BatchWorker(BatchPartition& partition, std::size_t memory);
  ~BatchWorker();
  BatchWorker(const BatchWorker&) = delete;
  BatchWorker& operator=(const BatchWorker&) = delete;

  /// Copies the change and queues it; blocks while the queue is full. Errors are those of earlier changes.
  Status put(const model::ItemView& item);
  Status remove(std::string_view id);

  /// Lets the thread process the queue, write the last segment and end. Nothing may follow but finish().
  Status begin_finish();
  /// Waits for the end of the thread.
  Status finish();

 private:
  using Change = std::variant<model::Item, std::string>;  // an item to put, or the id of an item to remove
  using Changes = std::vector<Change>;

  Status add(Change change);
  Status enqueue();
  void run();
  Status apply(const Changes& changes);
  void end_queue();

  BatchPartition& partition_;
  const std::size_t memory_;
  Changes next_block_;  // not queued yet

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Changes> queue_;
  Status status_;
  bool is_ending_ = false;
  std::thread thread_;
};

/// Gathers items in new segments and commits them together with the deletions of the items they replace. Without a
/// commit the destructor removes the segments. After an error the object can only be destroyed.
class Batch final : public ports::IndexWriter {
 public:
  /// `lock` is the folder's lock. Errors: Unsupported for an update of an index with another store id or other
  /// settings, or of no index.
  static Result<std::unique_ptr<Batch>> begin(BatchSetup setup, std::shared_ptr<FileLock> lock);

  ~Batch() override;

  Status put(ports::Call& call, std::span<const model::ItemView* const> items) override;
  Status remove(ports::Call& call, std::string_view id) override;
  Status commit(ports::Call& call, model::Revision revision) override;

 private:
  Batch(BatchSetup setup, std::shared_ptr<FileLock> lock);

  std::size_t choose_partition(std::string_view id) const;
  Status put(const model::ItemView& item);
  bool should_start_workers() const;
  void start_workers();
  Status write_partitions();
  std::vector<LiveSegment> take_segments();
  void delete_replaced(std::vector<LiveSegment>& segments) const;

  BatchSetup setup_;
  std::shared_ptr<FileLock> lock_;
  BatchDictionary dictionary_;
  std::deque<BatchPartition> partitions_;
  std::vector<std::unique_ptr<BatchWorker>> workers_;  // one per partition; empty: no threads
  std::vector<std::string> removed_;                   // ids of removed items
  bool is_published_ = false;
};

}  // namespace kbase::native_index
