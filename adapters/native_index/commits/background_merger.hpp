// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

#include "adapters/native_index/commits/index_folder.hpp"
#include "ports/driven/event_log.hpp"

namespace kbase::native_index {

/// Does the merge that the segments of the current snapshot need most. True: there was one, so there may be another.
/// Conflict: another process writes. Cancelled: `stop` said so.
model::Result<bool> merge_once(IndexFolder& folder, model::FunctionRef<bool()> stop);

/// Merges on a thread of its own, of low priority, whenever it is woken. A failure is logged, and what it was about is
/// tried again at the next waking. Before its first merge it reads the whole index once: damage that no search would
/// meet makes the folder distrust it. Ends with the object, within a few hundredths of a second.
class BackgroundMerger {
 public:
  /// `folder` and `log` outlive it; `log` may be null.
  BackgroundMerger(IndexFolder& folder, ports::EventLog* log);
  ~BackgroundMerger();

  /// Any thread; never waits.
  void wake();

 private:
  void run(const std::stop_token& stop);
  bool check(model::FunctionRef<bool()> stop);
  void say(std::string_view event, const model::Error& error);

  IndexFolder& folder_;
  ports::EventLog* log_;
  std::mutex mutex_;
  std::condition_variable_any woken_;
  bool is_woken_ = false;
  std::jthread thread_;
};

}  // namespace kbase::native_index
