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

/// A thread that does a share of a batch. Its calls come from one other thread.
class BatchWorker {
 public:
  /// Starts it. The share, which outlives it, is its own until finish(). `memory`: bytes of gathered items at which
  /// they become a segment.
  BatchWorker(BatchShare& share, float pivot, std::size_t memory);
  ~BatchWorker();
  BatchWorker(const BatchWorker&) = delete;
  BatchWorker& operator=(const BatchWorker&) = delete;

  /// Copies the change and hands it over; waits while much is left to do. An error is of an earlier change.
  model::Status put(const model::ItemView& item);
  model::Status remove(std::string_view id);

  /// Does what is left, writes it, and ends the thread.
  model::Status finish();

 private:
  using Change = std::variant<model::Item, std::string>;  // an item to put, or the id of one to remove
  using Changes = std::vector<Change>;

  model::Status add(Change change);
  model::Status hand_over();
  void run();
  model::Status apply(const Changes& changes);
  void end();

  BatchShare& share_;
  const float pivot_;
  const std::size_t memory_;
  Changes gathered_;  // not handed over yet

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Changes> waiting_;
  model::Status status_;
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace kbase::native_index
