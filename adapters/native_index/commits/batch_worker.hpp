// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "adapters/native_index/commits/batch_share.hpp"
#include "domain/model/item.hpp"

namespace kbase::native_index {

/// A thread that processes one share of a batch. Its methods must be called from one other thread.
class BatchWorker {
 public:
  /// Starts the thread, which owns `share` until finish(). `share` must outlive the worker. `memory` is the number of
  /// bytes of gathered items at which they become a segment.
  BatchWorker(BatchShare& share, float pivot, std::size_t memory);
  ~BatchWorker();
  BatchWorker(const BatchWorker&) = delete;
  BatchWorker& operator=(const BatchWorker&) = delete;

  /// Copies the change and queues it; blocks while the queue is full. Errors are those of earlier changes.
  model::Status put(const model::ItemView& item);
  model::Status remove(std::string_view id);

  /// Processes the queue, writes the last segment and ends the thread.
  model::Status finish();

 private:
  using Change = std::variant<model::Item, std::string>;  // an item to put, or the id of an item to remove
  using Changes = std::vector<Change>;

  model::Status add(Change change);
  model::Status hand_over();
  void run();
  model::Status apply(const Changes& changes);
  void end();

  BatchShare& share_;
  const float pivot_;
  const std::size_t memory_;
  Changes gathered_;  // not queued yet

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Changes> waiting_;
  model::Status status_;
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace kbase::native_index
